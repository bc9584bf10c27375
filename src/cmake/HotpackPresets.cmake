# Embeds the preset files of src/labels/presets in the library.
#
# hotpack_embed_presets(TARGET): adds a source with the text of each CSV file in the folder `presets` of the room. A file that is added
# or changed makes the source anew.
function(hotpack_embed_presets target)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/preset_files.cpp)
  set(script ${PROJECT_SOURCE_DIR}/src/cmake/HotpackPresets.cmake)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/presets/*.csv)
  add_custom_command(OUTPUT ${source} COMMAND ${CMAKE_COMMAND} -DPRESETS=${CMAKE_CURRENT_SOURCE_DIR}/presets -DOUT=${source} -P ${script}
                     DEPENDS ${files} ${script} COMMENT "Embedding presets" VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

# As a script, cmake -DPRESETS=FOLDER -DOUT=FILE -P HotpackPresets.cmake: writes the source.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(GLOB names RELATIVE ${PRESETS} ${PRESETS}/*.csv)
  list(TRANSFORM names REPLACE "\\.csv$" "")
  list(SORT names COMPARE STRING)
  set(rows "")
  foreach(name IN LISTS names)
    file(READ ${PRESETS}/${name}.csv text)
    string(APPEND rows "    {\"${name}\", R\"preset(${text})preset\"},\n")
  endforeach()
  file(WRITE ${OUT} "#include \"labels/preset_files.hpp\"

namespace hotpack::labels {

std::span<const PresetFile> preset_files() {
  static constexpr PresetFile kFiles[] = {
${rows}  };
  return kFiles;
}

}  // namespace hotpack::labels
")
endif()
