// A program as a person would write it with OpenCV to pack a data set: imread, resize, compare
// every pixel with every class color, write. scripts/bench times it next to hotpack. Nothing in it
// is slow on purpose, nothing is tuned.
//
//   opencv_pack ids    IMAGES LABELS WIDTHxHEIGHT OUT            gray ids as they are
//   opencv_pack onehot IMAGES LABELS WIDTHxHEIGHT OUT CLASSES    RGB masks to one-hot bytes;
//   CLASSES is a CSV `name,r,g,b`
//   opencv_pack images IMAGES - WIDTHxHEIGHT OUT                 images alone
//
// Pairs by position, as such programs do. Prints the seconds that the loop took: on the clock, and
// of the processor.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<std::string> sorted_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<cv::Scalar> read_colors(const std::string& path) {
  std::ifstream file(path);
  std::vector<cv::Scalar> colors;
  std::string line;
  while (std::getline(file, line)) {
    int r = 0, g = 0, b = 0;
    if (std::sscanf(line.c_str(), "%*[^,],%d,%d,%d", &r, &g, &b) == 3) colors.emplace_back(r, g, b);
  }
  return colors;
}

cv::Mat load_image(const std::string& path, cv::Size size) {
  cv::Mat image = cv::imread(path, cv::IMREAD_COLOR);
  if (image.empty()) throw std::runtime_error("cannot read " + path);
  cv::cvtColor(image, image, cv::COLOR_BGR2RGB);
  const bool shrinks = size.width < image.cols && size.height < image.rows;
  if (image.size() != size)
    cv::resize(image, image, size, 0, 0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  return image;
}

cv::Mat load_ids(const std::string& path, cv::Size size) {
  cv::Mat ids = cv::imread(path, cv::IMREAD_UNCHANGED);
  if (ids.type() != CV_8UC1) throw std::runtime_error(path + " has no 8-bit ids");
  cv::resize(ids, ids, size, 0, 0, cv::INTER_NEAREST);
  return ids;
}

cv::Mat load_one_hot(const std::string& path, cv::Size size,
                     const std::vector<cv::Scalar>& colors) {
  cv::Mat mask = cv::imread(path, cv::IMREAD_COLOR);
  if (mask.empty()) throw std::runtime_error("cannot read " + path);
  cv::cvtColor(mask, mask, cv::COLOR_BGR2RGB);
  cv::resize(mask, mask, size, 0, 0, cv::INTER_NEAREST);
  std::vector<cv::Mat> planes;
  for (const cv::Scalar& color : colors) {
    cv::Mat plane;
    cv::inRange(mask, color, color, plane);
    planes.push_back(plane & 1);
  }
  cv::Mat one_hot;
  cv::merge(planes, one_hot);
  return one_hot;
}

void write(std::ofstream& out, const cv::Mat& record) {
  out.write(reinterpret_cast<const char*>(record.data),
            static_cast<std::streamsize>(record.total() * record.elemSize()));
}

void pack(const std::vector<std::string>& arguments) {
  const bool one_hot = arguments[0] == "onehot", images_alone = arguments[0] == "images";
  const std::vector<std::string> images = sorted_files(arguments[1]);
  const std::vector<std::string> labels =
      images_alone ? std::vector<std::string>() : sorted_files(arguments[2]);
  cv::Size size;
  if (std::sscanf(arguments[3].c_str(), "%dx%d", &size.width, &size.height) != 2)
    throw std::runtime_error("no size: " + arguments[3]);
  const std::vector<cv::Scalar> colors =
      one_hot ? read_colors(arguments.at(5)) : std::vector<cv::Scalar>();
  std::ofstream out(arguments[4], std::ios::binary);
  for (std::size_t i = 0; i < images.size(); ++i) {
    write(out, load_image(images[i], size));
    if (images_alone) continue;
    write(out, one_hot ? load_one_hot(labels.at(i), size, colors) : load_ids(labels.at(i), size));
  }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + arguments[4]);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 6)
    throw std::runtime_error(
        "usage: opencv_pack ids|onehot|images IMAGES LABELS WIDTHxHEIGHT OUT [CLASSES]");
  cv::setNumThreads(1);
  const auto began = std::chrono::steady_clock::now();
  const std::clock_t processor_began = std::clock();
  pack({argv + 1, argv + argc});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  std::printf("%.6f %.6f\n", seconds.count(),
              static_cast<double>(std::clock() - processor_began) / CLOCKS_PER_SEC);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "opencv_pack: %s\n", failure.what());
  return 1;
}
