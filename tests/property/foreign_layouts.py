"""Public data sets whose layouts hotpack has no row for, rebuilt small: files, the right reading, and the command that gives it.

A line of `files` is a path and a kind, with two or more blanks between them. In paths, {a,b} and {01..03} stand for several texts, as in a shell.
Kinds, followed by the codes that occur in a label:
  photo          an RGB image, JPEG or PNG by the name's ending; gray, depth (16 bits): a gray one
  ids, ids16     gray labels of class ids; pal: the same with a palette; red: RGB with the id in the first channel
  mask           gray, 0 and 255; bit: 1 bit; rgbmask: RGB; jpegmask: a JPEG; soft: with gray edges
  color          RGB, code i is COLORS[i]
  stub           a file that is no image that hotpack reads, of the format of its ending
  text           the text after the kind, with \\n for a new line
The i-th path of a line shows the i-th photo and the i-th label; "+2" after the kind begins with the third, "/2" gives two paths the same, "~1" draws another
label for the same photo. Photos and labels differ in content and size, so that a wrong pair is noticed.

`reading` has the samples of each split: lines of an image and its label, or of an image whose folder is its class. Labels joined by " & " are masks of
classes in the order of their names, by " + " parts of one mask; "-" is no label, "=" begins the name of a class. Several readings: each is right. An empty tuple: no reading is right, and `reason` has the
words of which a refusal contains one.
`right` is a command line without "hotpack pack" and -o, R is the root. "classes.csv" lies next to the root, as if the user had written it from the page of
the data set.
"""

from dataclasses import dataclass, field

COLORS = [(0, 0, 0), (255, 0, 0), (0, 255, 102), (128, 64, 128), (204, 0, 255), (128, 128, 96)]
CLASSES = "name,r,g,b\n" + "".join(f"class{i},{r},{g},{b}\n" for i, (r, g, b) in enumerate(COLORS))


@dataclass
class Layout:
    name: str
    source: str
    files: str
    reading: object = ()
    right: str = ""
    classes: tuple = (2,)
    codes: dict = field(default_factory=dict)  # of codes that are not class ids: the id, -1 for ignored
    reason: str = ""
    class_folders: bool = False

    def readings(self):
        return [self.reading] if isinstance(self.reading, dict) else list(self.reading)


def pairs(split, images, labels):
    """Options of --images and --labels with the name of the split as prefix."""
    return f"--images '{images}' --labels '{labels}' --key-prefix '{split}' "


def with_unlabeled(reading, test):
    """A reading without and with a split of images that have no labels."""
    return [reading, {**reading, "test": test}]


def segmentation():
    yield Layout("semantic_drone", "ICG Semantic Drone Dataset, Kaggle bulentsiyah/semantic-drone-dataset", """
        dataset/semantic_drone_dataset/original_images/{000..005}.jpg  photo
        dataset/semantic_drone_dataset/label_images_semantic/{000..005}.png  ids 0 1 2 3 4 5
        RGB_color_image_masks/RGB_color_image_masks/{000..005}.png  color 0 1 2 3 4 5
        class_dict_seg.csv  text name, r, g, b\\nunlabeled, 0, 0, 0\\npaved-area, 255, 0, 0\\ndirt, 0, 255, 102\\ngrass, 128, 64, 128\\ngravel, 204, 0, 255\\nwater, 128, 128, 96\\n
        """, {"": "dataset/semantic_drone_dataset/original_images/{000..005}.jpg  dataset/semantic_drone_dataset/label_images_semantic/{000..005}.png"},
                 "--images R/dataset/semantic_drone_dataset/original_images --labels R/dataset/semantic_drone_dataset/label_images_semantic --classes R/class_dict_seg.csv --label-kind index",
                 (6,))
    yield Layout("dubai_aerial", "Humans in the Loop, Kaggle humansintheloop/semantic-segmentation-of-aerial-imagery", """
        Tile {1..4}/images/image_part_{001..003}.jpg  photo
        Tile {1..4}/masks/image_part_{001..003}.png  color 0 1 2 3
        classes.json  stub
        """, {"": "Tile {1..4}/images/image_part_{001..003}.jpg  Tile {1..4}/masks/image_part_{001..003}.png"},
                 "".join(pairs(f"Tile {i}", f"R/Tile {i}/images", f"R/Tile {i}/masks") for i in range(1, 5)) + "--classes classes.csv", (6,))
    yield Layout("floodnet", "BinaLab/FloodNet-Supervised_v1.0", """
        {train/train,val/val,test/test}-org-img/{6279..6282}.jpg  photo
        {train/train,val/val,test/test}-label-img/{6279..6282}_lab.png  ids 0 1 5 9
        """,
                 {s: f"{s}/{s}-org-img/{{6279..6282}}.jpg  {s}/{s}-label-img/{{6279..6282}}_lab.png" for s in ("train", "val", "test")},
                 "".join(pairs(s, f"R/{s}/{s}-org-img", f"R/{s}/{s}-label-img") for s in ("train", "val", "test")) + "--split folder", (10,))
    yield Layout("xbd", "xView2 challenge, Maxar xBD", """
        {train,test}/images/guatemala-volcano_{00000000..00000002}_{pre,post}_disaster.png  photo
        {train,test}/labels/guatemala-volcano_{00000000..00000002}_{pre,post}_disaster.json  stub
        {train,test}/targets/guatemala-volcano_{00000000..00000002}_{pre,post}_disaster_target.png  ids 0 1 2 4
        """, {s: f"{s}/images/guatemala-volcano_{{00000000..00000002}}_{{pre,post}}_disaster.png  "
                 f"{s}/targets/guatemala-volcano_{{00000000..00000002}}_{{pre,post}}_disaster_target.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}/images", f"R/{s}/targets") for s in ("train", "test")) + "--split folder", (5,))
    yield Layout("bijie_landslide", "Wuhan University, Bijie landslide data set", """
        landslide/image/df{001..006}.png  photo
        landslide/mask/df{001..006}.png  mask
        landslide/dem/df{001..006}.png  gray
        landslide/polygon_coordinate/df{001..006}.txt  text 1 2\\n3 4\\n
        non-landslide/image/nlt{001..004}.png  photo +6
        non-landslide/dem/nlt{001..004}.png  gray +6
        """, {"": "landslide/image/df{001..006}.png  landslide/mask/df{001..006}.png"},
                 "--images R/landslide/image --labels R/landslide/mask --label-kind binary")
    yield Layout("levir_cd", "LEVIR-CD, change detection", """
        {train/A/train,val/A/val,test/A/test}_{1..4}.png  photo
        {train/B/train,val/B/val,test/B/test}_{1..4}.png  photo +18
        {train/label/train,val/label/val,test/label/test}_{1..4}.png  mask
        """, [{s: f"{s}/{d}/{s}_{{1..4}}.png  {s}/label/{s}_{{1..4}}.png" for s in ("train", "val", "test")} for d in "AB"],
                 "".join(pairs(s, f"R/{s}/A", f"R/{s}/label") for s in ("train", "val", "test")) + "--split folder --label-kind binary")
    yield Layout("apolloscape", "ApolloScape scene parsing, road02_ins", """
        ColorImage_road02/ColorImage/Record{001,002}/Camera {5,6}/170908_06150240{7,8}_Camera.jpg  photo
        Label_road02/Label/Record{001,002}/Camera {5,6}/170908_06150240{7,8}_Camera_bin.png  ids 0 1 17 33
        """, {"": "ColorImage_road02/ColorImage/Record{001,002}/Camera {5,6}/170908_06150240{7,8}_Camera.jpg  "
                  "Label_road02/Label/Record{001,002}/Camera {5,6}/170908_06150240{7,8}_Camera_bin.png"},
                 "--images R/ColorImage_road02/ColorImage --labels R/Label_road02/Label --label-suffix _bin --num-classes 34", (34,))
    yield Layout("comma10k", "commaai/comma10k", """
        imgs/{0000..0005}_0085e9e41513078a_2018-08-19--13-26-08_11_864.png  photo
        masks/{0000..0005}_0085e9e41513078a_2018-08-19--13-26-08_11_864.png  color 1 2 3 4 5
        files_trainable  text masks/0000_0085e9e41513078a_2018-08-19--13-26-08_11_864.png\\n
        """, {"": "imgs/{0000..0005}_0085e9e41513078a_2018-08-19--13-26-08_11_864.png  masks/{0000..0005}_0085e9e41513078a_2018-08-19--13-26-08_11_864.png"},
                 "--images R/imgs --labels R/masks --classes classes.csv", (6,))
    yield Layout("freiburg_forest", "Freiburg Forest, freiburg_forest_annotated", """
        {train,test}/rgb/b1-0951{0..4}_Clipped.jpg  photo
        {train,test}/nir_color/b1-0951{0..4}.png  photo +18
        {train,test}/GT_color/b1-0951{0..4}_mask.png  color 0 1 2 3
        """, {s: f"{s}/rgb/b1-0951{{0..4}}_Clipped.jpg  {s}/GT_color/b1-0951{{0..4}}_mask.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}/rgb", f"R/{s}/GT_color") for s in ("train", "test")) +
                 "--split folder --image-suffix _Clipped --label-suffix _mask --classes classes.csv", (6,))
    yield Layout("ycor", "Yamaha-CMU off-road data set", """
        train/iid{000008..000012}/rgb.jpg  photo
        train/iid{000008..000012}/labels.png  ids 0 1 4 7
        valid/iid{000013..000015}/rgb.jpg  photo +5
        valid/iid{000013..000015}/labels.png  ids 0 1 4 7 +5
        """, {"train": "train/iid{000008..000012}/rgb.jpg  train/iid{000008..000012}/labels.png",
              "valid": "valid/iid{000013..000015}/rgb.jpg  valid/iid{000013..000015}/labels.png"},
                 "--images R --labels R --image-suffix /rgb --label-suffix /labels --split folder", (8,))
    culane = "driver_23_30frame/0515164{0..3}_0419.MP4/{00000,00030}"
    culane_lists = {"train": "0..2", "val": "3..3"}
    yield Layout("culane", "CULane", f"""
        {culane}.jpg  photo
        {culane}.lines.txt  text 1 2\\n
        laneseg_label_w16/{culane}.png  ids 0 1 2 3 4
        list/train_gt.txt  text {"".join(f"/driver_23_30frame/0515164{i}_0419.MP4/{f}.jpg /laneseg_label_w16/driver_23_30frame/0515164{i}_0419.MP4/{f}.png 1 1 1 1" + chr(92) + "n" for i in range(3) for f in ("00000", "00030"))}
        list/val_gt.txt  text {"".join(f"/driver_23_30frame/05151643_0419.MP4/{f}.jpg /laneseg_label_w16/driver_23_30frame/05151643_0419.MP4/{f}.png 1 1 1 1" + chr(92) + "n" for f in ("00000", "00030"))}
        """, [{s: f"{culane.replace('0..3', r)}.jpg  laneseg_label_w16/{culane.replace('0..3', r)}.png" for s, r in culane_lists.items()},
              {"": f"{culane}.jpg  laneseg_label_w16/{culane}.png"}], "--images R/driver_23_30frame --labels R/laneseg_label_w16/driver_23_30frame", (5,))
    yield Layout("carla_lyft", "Lyft/Udacity challenge, Kaggle kumaresanmanickavelu/lyft-udacity-challenge", """
        data{A/dataA,B/dataB}/CameraRGB/02_00_{000..003}.png  photo
        data{A/dataA,B/dataB}/CameraSeg/02_00_{000..003}.png  red 0 1 7 12
        """, {"": "data{A/dataA,B/dataB}/CameraRGB/02_00_{000..003}.png  data{A/dataA,B/dataB}/CameraSeg/02_00_{000..003}.png"},
                 "".join(pairs(f"data{c}", f"R/data{c}/data{c}/CameraRGB", f"R/data{c}/data{c}/CameraSeg") for c in "AB") +
                 "--label-kind rgb-id --rgb-id r+256g+65536b --num-classes 13", (13,))
    vkitti = "Scene{01,02}/{clone,fog}/frames/%s/Camera_0/%s_{00000..00002}.%s"
    yield Layout("vkitti2", "Virtual KITTI 2", f"""
        {vkitti % ("rgb", "rgb", "jpg")}  photo
        {vkitti % ("classSegmentation", "classgt", "png")}  color 0 1 2 3
        {vkitti % ("depth", "depth", "png")}  depth
        Scene{{01,02}}/{{clone,fog}}/colors.txt  text Category r g b\\nTerrain 0 0 0\\nSky 255 0 0\\nTree 0 255 102\\nRoad 128 64 128\\nCar 204 0 255\\nMisc 128 128 96\\n
        """, {"": f"{vkitti % ('rgb', 'rgb', 'jpg')}  {vkitti % ('classSegmentation', 'classgt', 'png')}"},
                 "".join(pairs(f"{s}-{w}", f"R/{s}/{w}/frames/rgb", f"R/{s}/{w}/frames/classSegmentation") for s in ("Scene01", "Scene02") for w in ("clone", "fog")) +
                 "--pair-regex '(.*)/rgb_([0-9]+)' '(.*)/classgt_([0-9]+)' --classes classes.csv",
                 (6,))
    yield Layout("woodscape", "valeoai/WoodScape", """
        rgb_images/{00000..00006}_FV.png  photo
        semantic_annotations/gtLabels/{00000..00006}_FV.png  ids 0 1 2 3 9
        semantic_annotations/rgbLabels/{00000..00006}_FV.png  color 0 1 2 3 4
        instance_annotations/{00000..00006}_FV.json  stub
        box_2d_annotations/{00000..00006}_FV.txt  text vehicles,6,1,2,3,4\\n
        """, {"": "rgb_images/{00000..00006}_FV.png  semantic_annotations/gtLabels/{00000..00006}_FV.png"},
                 "--images R/rgb_images --labels R/semantic_annotations/gtLabels", (10,))

    busi = {"benign": "1..5", "malignant": "1..4", "normal": "1..3"}
    yield Layout("busi", "Breast ultrasound images, Dataset_BUSI_with_GT", "".join(f"""
        {c}/{c} ({{{r}}}).png  gray +{i}
        {c}/{c} ({{{r}}})_mask.png  mask +{i}""" for i, (c, r) in zip((0, 5, 9), busi.items())) + """
        benign/benign (4)_mask_1.png  mask +3 ~1
        """, {"": "\n".join(f"{c}/{c} ({{{r}}}).png  {c}/{c} ({{{r}}})_mask.png" for c, r in {**busi, "benign": "1..3"}.items()) +
              "\nbenign/benign (4).png  benign/benign (4)_mask.png + benign/benign (4)_mask_1.png\nbenign/benign (5).png  benign/benign (5)_mask.png"},
                 "--images R --labels 'R/{key}_mask*' --label-kind binary")
    yield Layout("montgomery", "Montgomery County chest X-rays, NLM", """
        CXR_png/MCUCXR_{0001..0006}_0.png  gray
        ManualMask/leftMask/MCUCXR_{0001..0006}_0.png  bit
        ManualMask/rightMask/MCUCXR_{0001..0006}_0.png  bit ~1
        ClinicalReadings/MCUCXR_{0001..0006}_0.txt  text Patient's Sex: F\\n
        """, {"": "CXR_png/MCUCXR_{0001..0006}_0.png  ManualMask/leftMask/MCUCXR_{0001..0006}_0.png & ManualMask/rightMask/MCUCXR_{0001..0006}_0.png"},
                 "--images R/CXR_png --labels R/ManualMask --mask-per-class '{class}/{key}'")
    yield Layout("fives", "FIVES, fundus images of Figshare", """
        {train,test}/Original/{1..3}_{A,D}.png  photo
        {train,test}/Ground truth/{1..3}_{A,D}.png  rgbmask
        Quality Assessment.xlsx  stub
        """,
                 {s: f"{s}/Original/{{1..3}}_{{A,D}}.png  {s}/Ground truth/{{1..3}}_{{A,D}}.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}/Original", f"R/{s}/Ground truth") for s in ("train", "test")) + "--split folder --label-kind binary")
    yield Layout("les_av", "LES-AV, retinal vessels of Figshare", """
        images/{276..281}.png  photo
        masks/{276..281}.png  mask ~1
        vessel-segmentations/{276..281}.png  mask
        arteries-and-veins/{276..281}.png  color 0 1 2
        """, {"": "images/{276..281}.png  vessel-segmentations/{276..281}.png"},
                 "--images R/images --labels R/vessel-segmentations --label-kind binary")
    yield Layout("ham10000_lesions", "HAM10000, Harvard Dataverse", """
        HAM10000_images_part_1/ISIC_{0024306..0024309}.jpg  photo
        HAM10000_images_part_2/ISIC_{0024310..0024313}.jpg  photo +4
        HAM10000_segmentations_lesion_tschandl/ISIC_{0024306..0024313}_segmentation.png  mask
        HAM10000_metadata  text lesion_id,image_id,dx,dx_type\\nHAM_1,ISIC_0024306,nv,histo\\n
        """, {"": "HAM10000_images_part_1/ISIC_{0024306..0024309}.jpg  HAM10000_segmentations_lesion_tschandl/ISIC_{0024306..0024309}_segmentation.png\n"
                  "HAM10000_images_part_2/ISIC_{0024310..0024313}.jpg  HAM10000_segmentations_lesion_tschandl/ISIC_{0024310..0024313}_segmentation.png"},
                 "--images R/HAM10000_images_part_1 --images R/HAM10000_images_part_2 --labels R/HAM10000_segmentations_lesion_tschandl "
                 "--label-suffix _segmentation --label-kind binary")
    cholec = "video01/video01_{00080,00160}/frame_{80..83}_endo%s.png"
    yield Layout("cholecseg8k", "CholecSeg8k, Kaggle newslab/cholecseg8k", f"""
        {cholec % ""}  photo
        {cholec % "_mask"}  ids 11 12 13 50
        {cholec % "_color_mask"}  color 0 1 2 3
        {cholec % "_watershed_mask"}  ids 11 12 13 50
        """, {"": f"{cholec % ''}  {cholec % '_color_mask'}"},
                 "--images R --labels R --image-suffix _endo --label-suffix _endo_color_mask --classes classes.csv", (6,))
    yield Layout("cellpose", "cellpose.org data set", """
        {train,test}/{000..005}_img.png  photo
        {train,test}/{000..005}_masks.png  ids16 0 1 2 3 300
        """, {s: f"{s}/{{000..005}}_img.png  {s}/{{000..005}}_masks.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}", f"R/{s}") for s in ("train", "test")) +
                 "--split folder --image-suffix _img --label-suffix _masks --label-kind binary --threshold 1", codes={i: 1 for i in (1, 2, 3, 300)})
    yield Layout("hc18", "HC18 fetal head circumference, Zenodo 1322001", """
        training_set/{000..005}_HC.png  gray
        training_set/{000..005}_HC_Annotation.png  mask
        test_set/{000..003}_HC.png  gray +6
        training_set_pixel_size_and_HC.csv  text filename,pixel size(mm),head circumference (mm)\\n000_HC.png,0.07,44.3\\n
        test_set_pixel_size.csv  text filename,pixel size(mm)\\n000_HC.png,0.2\\n
        """, {"": "training_set/{000..005}_HC.png  training_set/{000..005}_HC_Annotation.png"},
                 "--images R/training_set --labels R/training_set --label-suffix _Annotation --label-kind binary")
    yield Layout("tn3k", "TN3K thyroid nodules, haifangong/TRFE-Net", """
        trainval-image/{0000..0005}.jpg  photo
        trainval-mask/{0000..0005}.jpg  jpegmask
        test-image/{0000..0003}.jpg  photo +6
        test-mask/{0000..0003}.jpg  jpegmask +6
        tn3k-trainval-fold0.json  stub
        """, {"trainval": "trainval-image/{0000..0005}.jpg  trainval-mask/{0000..0005}.jpg", "test": "test-image/{0000..0003}.jpg  test-mask/{0000..0003}.jpg"},
                 pairs("trainval", "R/trainval-image", "R/trainval-mask") + pairs("test", "R/test-image", "R/test-mask") + "--split folder --label-kind binary")

    yield Layout("cwfid", "cwfid/dataset", """
        images/{001..006}_image.png  photo
        annotations/{001..006}_annotation.png  color 0 1 2
        masks/{001..006}_mask.png  mask
        train_test_split.yaml  stub
        """, {"": "images/{001..006}_image.png  annotations/{001..006}_annotation.png"}, "--images R/images --labels R/annotations --classes classes.csv", (6,))
    pheno = "05-15_{00001..00004}_P0030852.png"
    yield Layout("phenobench", "PhenoBench", f"""
        {{train,val}}/images/{pheno}  photo
        {{train,val}}/semantics/{pheno}  ids16 0 1 2
        {{train,val}}/plant_instances/{pheno}  ids16 0 1 2 3
        {{train,val}}/leaf_instances/{pheno}  ids16 0 1 2 3 4
        {{train,val}}/plant_visibility/{pheno}  depth
        test/images/{pheno}  photo +8
        """, with_unlabeled({s: f"{s}/images/{pheno}  {s}/semantics/{pheno}" for s in ("train", "val")}, f"test/images/{pheno}  -"),
                 "".join(pairs(s, f"R/{s}/images", f"R/{s}/semantics") for s in ("train", "val")) + "--split folder", (3,))
    yield Layout("kolektor2", "KolektorSDD2", """
        {train,test}/{10000..10005}.png  photo
        {train,test}/{10000..10005}_GT.png  mask
        """, {s: f"{s}/{{10000..10005}}.png  {s}/{{10000..10005}}_GT.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}", f"R/{s}") for s in ("train", "test")) + "--split folder --label-suffix _GT --label-kind binary")
    tiles = "MT_{Blowhole,Break,Crack,Fray,Free,Uneven}/Imgs/exp{1,2}_num_{4727,108889}"
    yield Layout("magnetic_tile", "abin24/Magnetic-tile-defect-datasets.", f"""
        {tiles}.jpg  photo
        {tiles}.png  soft
        """, {"": f"{tiles}.jpg  {tiles}.png"}, "--images R --labels R --label-kind binary")
    waste = "splits_final_deblurred/%s/%s/01_frame_{000000..000003}.PNG"
    splits = ("train", "val", "test")
    yield Layout("zerowaste", "ZeroWaste-f, Zenodo 6412647", f"""
        {waste % ("{train,val,test}", "data")}  photo
        {waste % ("{train,val,test}", "sem_seg")}  ids 0 1 2 3 4
        splits_final_deblurred/{{train,val,test}}/labels.json  stub
        """, {s: f"{waste % (s, 'data')}  {waste % (s, 'sem_seg')}" for s in splits},
                 "".join(pairs(s, f"R/splits_final_deblurred/{s}/data", f"R/splits_final_deblurred/{s}/sem_seg") for s in splits) + "--split folder", (5,))

    yield Layout("people_clothing", "Kaggle rajkumarl/people-clothing-segmentation", """
        jpeg_images/IMAGES/img_{0001..0005}.jpeg  photo
        jpeg_masks/MASKS/seg_{0001..0005}.jpeg  jpegmask
        png_images/IMAGES/img_{0001..0005}.png  photo
        png_masks/MASKS/seg_{0001..0005}.png  ids 0 1 19 58
        labels.csv  text ,label_list\\n0,null\\n1,accessories\\n
        """, [{"": f"{e}_images/IMAGES/img_{{0001..0005}}.{e}  png_masks/MASKS/seg_{{0001..0005}}.png"} for e in ("jpeg", "png")],
                 r"--images R/png_images/IMAGES --labels R/png_masks/MASKS --pair-regex 'img_([0-9]+)\.png$' 'seg_([0-9]+)\.png$' --num-classes 59", (59,))
    yield Layout("total_text", "cs-chan/Total-Text-Dataset", """
        Images/{Train,Test}/img{11..14}.jpg  photo
        groundtruth_pixel/{Train,Test}/img{11..14}.jpg  jpegmask
        Groundtruth/Polygon/{Train,Test}/poly_gt_img{11..14}.mat  stub
        """, {s: f"Images/{s}/img{{11..14}}.jpg  groundtruth_pixel/{s}/img{{11..14}}.jpg" for s in ("Train", "Test")},
                 "".join(pairs(s, f"R/Images/{s}", f"R/groundtruth_pixel/{s}") for s in ("Train", "Test")) + "--split folder --label-kind binary")
    hisdb = "{training,validation,public-test}/e-codices_fmb-cb-0055_{0098,0105}v_max"
    yield Layout("diva_hisdb", "DIVA-HisDB, CB55", f"""
        img-CB55/img/{hisdb}.jpg  photo
        pixel-level-gt-CB55/pixel-level-gt/{hisdb}.png  color 0 1 2
        """, {s: f"img-CB55/img/{s}/e-codices_fmb-cb-0055_{{0098,0105}}v_max.jpg  pixel-level-gt-CB55/pixel-level-gt/{s}/e-codices_fmb-cb-0055_{{0098,0105}}v_max.png"
              for s in ("training", "validation", "public-test")},
                 "--images R/img-CB55/img --labels R/pixel-level-gt-CB55/pixel-level-gt --split folder --classes classes.csv", (6,))
    yield Layout("dut_omron", "DUT-OMRON saliency", """
        DUT-OMRON-image/im{005..010}.jpg  photo
        pixelwiseGT-new-PNG/im{005..010}.png  mask
        """, {"": "DUT-OMRON-image/im{005..010}.jpg  pixelwiseGT-new-PNG/im{005..010}.png"},
                 "--images R/DUT-OMRON-image --labels R/pixelwiseGT-new-PNG --label-kind binary")
    cod = "COD10K-CAM-1-Aquatic-1-BatFish-{2..5}"
    yield Layout("cod10k", "COD10K-v3", f"""
        {{Train,Test}}/Image/{cod}.jpg  photo
        {{Train,Test}}/GT_Object/{cod}.png  mask
        {{Train,Test}}/GT_Edge/{cod}.png  mask ~1
        {{Train,Test}}/GT_Instance/{cod}.png  color 0 1 2
        Info/CAM_train.txt  text {"".join("COD10K-CAM-1-Aquatic-1-BatFish-%d.jpg" % i + chr(92) + "n" for i in range(2, 6))}
        """,
                 {s: f"{s}/Image/{cod}.jpg  {s}/GT_Object/{cod}.png" for s in ("Train", "Test")},
                 "".join(pairs(s, f"R/{s}/Image", f"R/{s}/GT_Object") for s in ("Train", "Test")) + "--split folder --label-kind binary")
    yield Layout("camo", "CAMO-V.1.0, camouflaged objects", """
        Images/Train/camourflage_{00001..00006}.jpg  photo
        Images/Test/camourflage_{00007..00009}.jpg  photo +6
        GT/camourflage_{00001..00009}.png  mask
        """, [{"Train": "Images/Train/camourflage_{00001..00006}.jpg  GT/camourflage_{00001..00006}.png",
               "Test": "Images/Test/camourflage_{00007..00009}.jpg  GT/camourflage_{00007..00009}.png"}],
                 "".join(pairs(s, f"R/Images/{s}", "R/GT") for s in ("Train", "Test")) + "--split folder --orphans skip --label-kind binary")
    yield Layout("istd", "DeepInsight-PCALab/ST-CGAN, shadow triplets", """
        {train/train,test/test}_A/{1..3}-{1,2}.png  photo
        {train/train,test/test}_B/{1..3}-{1,2}.png  mask
        {train/train,test/test}_C/{1..3}-{1,2}.png  photo +18
        """, {s: f"{s}/{s}_A/{{1..3}}-{{1,2}}.png  {s}/{s}_B/{{1..3}}-{{1,2}}.png" for s in ("train", "test")},
                 "".join(pairs(s, f"R/{s}/{s}_A", f"R/{s}/{s}_B") for s in ("train", "test")) + "--split folder --label-kind binary")
    fish = ("Black Sea Sprat", "Gilt-Head Bream", "Red Mullet", "Trout")
    yield Layout("large_scale_fish", "Kaggle crowww/a-large-scale-fish-dataset", "".join(f"""
        {f}/{f}/{{00001..00004}}.png  photo +{4 * i}
        {f}/{f} GT/{{00001..00004}}.png  mask +{4 * i}""" for i, f in enumerate(fish)),
                 {"": "\n".join(f"{f}/{f}/{{00001..00004}}.png  {f}/{f} GT/{{00001..00004}}.png" for f in fish)},
                 "".join(pairs(f, f"R/{f}/{f}", f"R/{f}/{f} GT") for f in fish) + "--label-kind binary")
    base, extended = "base/cmp_b{0001..0005}", "extended/cmp_x{0001..0004}"
    yield Layout("cmp_facades", "CMP Facade Database", f"""
        {base}.jpg  photo
        {base}.png  pal 1 2 3 12
        {base}.xml  stub
        {extended}.jpg  photo +5
        {extended}.png  pal 1 2 3 12 +5
        {extended}.xml  stub
        label_names.txt  text background 1\\nfacade 2\\nwindow 3\\n
        """, [{"": f"{base}.jpg  {base}.png"}, {"": f"{base}.jpg  {base}.png\n{extended}.jpg  {extended}.png"},
              {"base": f"{base}.jpg  {base}.png", "extended": f"{extended}.jpg  {extended}.png"}],
                 "--images R/base --labels R/base --num-classes 13", (13,))
    yield Layout("cil_roads", "EPFL and ETH road segmentation, AIcrowd", """
        training/images/satImage_{001..006}.png  photo
        training/groundtruth/satImage_{001..006}.png  soft
        test_set_images/test_1/test_1.png  photo +6
        test_set_images/test_2/test_2.png  photo +7
        sampleSubmission.csv  text id,prediction\\n001_0_0,0\\n
        """, {"": "training/images/satImage_{001..006}.png  training/groundtruth/satImage_{001..006}.png"},
                 "--images R/training/images --labels R/training/groundtruth --label-kind binary")
    yield Layout("mastr1325", "MaSTr1325, marine obstacles", """
        MaSTr1325_images_512x384/{0001..0006}.jpg  photo
        MaSTr1325_masks_512x384/{0001..0006}m.png  ids 0 1 2 4
        MaSTr1325_imus_512x384/{0001..0006}.txt  text 1 2\\n
        """, {"": "MaSTr1325_images_512x384/{0001..0006}.jpg  MaSTr1325_masks_512x384/{0001..0006}m.png"},
                 "--images R/MaSTr1325_images_512x384 --labels R/MaSTr1325_masks_512x384 --label-suffix m --num-classes 3 --ignore 4", (3,), {4: -1})
    lars = "lars_v1.0.0_%s/{train,val}/%s/yt012_{00001..00004}"
    yield Layout("lars", "LaRS, maritime panoptic obstacles", f"""
        {lars % ("images", "images")}.jpg  photo
        lars_v1.0.0_images/test/images/yt012_{{00011..00013}}.jpg  photo +8
        lars_v1.0.0_images/train/image_list.txt  text yt012_00001\\n
        {lars % ("annotations", "semantic_masks")}.png  ids 0 1 2 255
        {lars % ("annotations", "panoptic_masks")}.png  color 0 1 2
        lars_v1.0.0_annotations/{{train,val}}/panoptic_annotations.json  stub
        """, with_unlabeled({s: f"{lars % ('images', 'images')}.jpg  {lars % ('annotations', 'semantic_masks')}.png".replace("{train,val}", s)
                             for s in ("train", "val")}, "lars_v1.0.0_images/test/images/yt012_{00011..00013}.jpg  -"),
                 "".join(pairs(s, f"R/lars_v1.0.0_images/{s}/images", f"R/lars_v1.0.0_annotations/{s}/semantic_masks") for s in ("train", "val")) + "--split folder",
                 (3,))
    yield Layout("fiftyone_masks", "FiftyOne ImageSegmentationDirectory export", """
        data/frame-{0001..0006}.jpg  photo
        labels/frame-{0001..0006}.png  ids 0 1 2
        """, {"": "data/frame-{0001..0006}.jpg  labels/frame-{0001..0006}.png"}, "--images R/data --labels R/labels", (3,))
    yield Layout("replicator", "NVIDIA Omniverse Replicator, BasicWriter", """
        rgb_{0000..0006}.png  photo
        semantic_segmentation_{0000..0006}.png  ids 0 1 2 3
        semantic_segmentation_labels_{0000..0006}.json  stub
        distance_to_camera_{0000..0006}.npy  stub
        """, {"": "rgb_{0000..0006}.png  semantic_segmentation_{0000..0006}.png"},
                 r"--images R --labels R --pair-regex '^rgb_([0-9]+)\.png$' '^semantic_segmentation_([0-9]+)\.png$' --exclude '*.npy'", (4,))


def class_folders():
    def sets(name, source, files, readings, right, n):
        return Layout(name, source, files, readings, right, (2, n), class_folders=True)

    intel = "seg_%s/seg_%s/{buildings,forest,sea}/{0..3}.jpg"
    yield sets("intel_scenes", "Kaggle puneet6060/intel-image-classification", f"""
        {intel % ("train", "train")}  photo
        {intel % ("test", "test")}  photo +12
        seg_pred/seg_pred/{{5,24}}.jpg  photo +30
        """, [{s: intel % (s, s) for s in ("train", "test")}, {"": intel % ("train", "train")}],
               "--image-folders R/seg_train/seg_train --key-prefix train --image-folders R/seg_test/seg_test --key-prefix test --split folder", 3)
    plants = "raw/%s/{Apple___Apple_scab,Apple___healthy,Tomato___healthy}/00075aa8 FREC {2335..2337}%s"
    yield sets("plantvillage_raw", "spMohanty/PlantVillage-Dataset", f"""
        {plants % ("color", ".JPG")}  photo
        {plants % ("grayscale", ".JPG")}  photo +10
        {plants % ("segmented", "_final_masked.jpg")}  photo +18
        """, [{"": plants % v} for v in (("color", ".JPG"), ("grayscale", ".JPG"), ("segmented", "_final_masked.jpg"))], "--image-folders R/raw/color", 3)
    office = "%s/images/{back_pack,bike,calculator}/frame_{0001..0003}.jpg"
    yield sets("office31", "Office-31", "".join(f"""
        {office % d}  photo +{9 * i}""" for i, d in enumerate(("amazon", "dslr", "webcam"))),
               [*({"": office % d} for d in ("amazon", "dslr", "webcam")), {d: office % d for d in ("amazon", "dslr", "webcam")}],
               "--image-folders R/amazon/images", 3)
    dtd = "images/{banded,blotchy,braided}/texture_{0002..0005}.jpg"
    yield sets("dtd", "Describable Textures Dataset", f"""
        {dtd}  photo
        labels/train1.txt  text banded/texture_0002.jpg\\nblotchy/texture_0002.jpg\\nbraided/texture_0002.jpg\\n
        labels/val1.txt  text banded/texture_0003.jpg\\nblotchy/texture_0003.jpg\\nbraided/texture_0003.jpg\\n
        labels/test1.txt  text banded/texture_0004.jpg\\nblotchy/texture_0004.jpg\\nbraided/texture_0004.jpg\\n
        imdb/imdb.mat  stub
        """, [{"": dtd}, {s: dtd.replace("{0002..0005}", n) for s, n in (("train", "0002"), ("val", "0003"), ("test", "0004"))}], "--image-folders R/images", 3)
    food = "images/{apple_pie,waffles}/{100..103}.jpg"
    yield sets("food101", "Food-101", f"""
        {food}  photo
        meta/train.txt  text apple_pie/100\\napple_pie/101\\napple_pie/102\\nwaffles/100\\nwaffles/101\\nwaffles/102\\n
        meta/test.txt  text apple_pie/103\\nwaffles/103\\n
        meta/classes.txt  text apple_pie\\nwaffles\\n
        meta/labels.txt  text Apple pie\\nWaffles\\n
        """, [{"train": food.replace("100..103", "100..102"), "test": food.replace("100..103", "103..103")}, {"": food}],
               "--image-folders R/images --split list:train=R/meta/train.txt,test=R/meta/test.txt", 2)
    birds = "{001.Black_footed_Albatross,002.Laysan_Albatross}/Albatross_{0001..0004}_796111"
    yield sets("cub200", "Caltech-UCSD Birds 200-2011", f"""
        CUB_200_2011/images/{birds}.jpg  photo
        CUB_200_2011/classes.txt  text 1 001.Black_footed_Albatross\\n2 002.Laysan_Albatross\\n
        CUB_200_2011/images.txt  text 1 001.Black_footed_Albatross/Albatross_0001_796111.jpg\\n
        CUB_200_2011/train_test_split.txt  text 1 0\\n
        segmentations/{birds}.png  soft
        """, [{"": f"CUB_200_2011/images/{birds}.jpg"}, {"": f"CUB_200_2011/images/{birds}.jpg  segmentations/{birds}.png"}],
               "--image-folders R/CUB_200_2011/images", 2)
    yield sets("caltech101", "Caltech 101", """
        101_ObjectCategories/{BACKGROUND_Google,accordion,bonsai}/image_{0001..0004}.jpg  photo
        Annotations/{accordion,bonsai}/annotation_{0001..0004}.mat  stub
        """, [{"": "101_ObjectCategories/{BACKGROUND_Google,accordion,bonsai}/image_{0001..0004}.jpg"}], "--image-folders R/101_ObjectCategories", 3)
    cells = "cell_images/%s{Parasitized,Uninfected}/C33P1thinF_cell_{1..5}.png"
    yield sets("malaria_cells", "Kaggle iarunava/cell-images-for-detecting-malaria", f"""
        {cells % ""}  photo
        {cells % "cell_images/"}  photo
        cell_images/{{Parasitized,Uninfected}}/Thumbs.db  stub
        """, [{"": cells % "cell_images/"}, {"": cells % ""}], "--image-folders R/cell_images/cell_images", 2)
    tumors = "%s/{glioma,meningioma,notumor,pituitary}/Tr-gl_{0010..0012}.jpg"
    yield sets("brain_tumor_mri", "Kaggle masoudnickparvar/brain-tumor-mri-dataset", f"""
        {tumors % "Training"}  photo
        {tumors % "Testing"}  photo +12
        """, [{s: tumors % s for s in ("Training", "Testing")}], "--image-folders R --split folder", 4)
    yield sets("asl_alphabet", "Kaggle grassknoted/asl-alphabet", """
        asl_alphabet_train/asl_alphabet_train/{A,B,del,nothing}/A{1..3}.jpg  photo
        asl_alphabet_test/asl_alphabet_test/{A,B,del,nothing}_test.jpg  photo +12
        """, [{"": "asl_alphabet_train/asl_alphabet_train/{A,B,del,nothing}/A{1..3}.jpg"}], "--image-folders R/asl_alphabet_train/asl_alphabet_train", 4)
    table = "Width,Height,Roi.X1,Roi.Y1,Roi.X2,Roi.Y2,ClassId,Path\\n"
    yield sets("gtsrb", "German traffic signs, Kaggle meowmeowmeowmeowmeow/gtsrb-german-traffic-sign", f"""
        Train/{{0,1,2}}/00000_00000_{{00000..00003}}.png  photo
        Test/{{00000..00003}}.png  photo +12
        Meta/{{0,1,2}}.png  photo +18
        Train.csv  text {table}{"".join(f"27,26,5,5,22,20,{c},Train/{c}/00000_00000_0000{i}.png" + chr(92) + "n" for c in range(3) for i in range(4))}
        Test.csv  text {table}{"".join(f"27,26,5,5,22,20,{i % 3},Test/0000{i}.png" + chr(92) + "n" for i in range(4))}
        Meta.csv  text Path,ClassId,ShapeId,ColorId,SignId\\nMeta/0.png,0,1,0,3.29\\n
        """, [{"": "Train/{0,1,2}/00000_00000_{00000..00003}.png"}], "--image-folders R/Train", 3)
    yield sets("tiny_imagenet", "Tiny ImageNet 200", """
        train/{n01443537,n01629819}/images/n0_{0..4}.JPEG  photo
        train/{n01443537,n01629819}/n0_boxes.txt  text n0_0.JPEG 0 10 63 58\\n
        val/images/val_{0..3}.JPEG  photo +10
        val/val_annotations.txt  text val_0.JPEG n01443537 0 32 44 62\\nval_1.JPEG n01629819 52 55 57 59\\nval_2.JPEG n01443537 0 0 9 9\\nval_3.JPEG n01629819 0 0 9 9\\n
        test/images/test_{0..3}.JPEG  photo +14
        wnids.txt  text n01443537\\nn01629819\\n
        words.txt  text n01443537\\tgoldfish\\nn01629819\\tsalamander\\n
        """, [{"": "train/{n01443537,n01629819}/images/n0_{0..4}.JPEG"}], "--image-folders R/train", 2)
    defects, masks = "test/{broken_large,contamination}/{000..003}.png", "ground_truth/{broken_large,contamination}/{000..003}_mask.png"
    yield sets("mvtec_bottle", "MVTec AD, one product", f"""
        train/good/{{000..005}}.png  photo +18
        test/good/{{000..002}}.png  photo +12
        {defects}  photo
        {masks}  mask
        """, [{"": f"{defects}  {masks}"}, {"train": "train/good/{000..005}.png", "test": "test/good/{000..002}.png\n" + defects},
              {"": "test/good/{000..002}.png\n" + defects}],
               "".join(pairs(d, f"R/test/{d}", f"R/ground_truth/{d}") for d in ("broken_large", "contamination")) + "--label-kind binary", 3)


def others():
    weeds = ["Chinee apple", "Snake weed", "Negative"]
    yield Layout("deepweeds", "AlexOlsen/DeepWeeds", f"""
        images/20160928-140314-{{0..5}}.jpg  photo
        labels.csv  text Filename,Label,Species\\n{"".join(f"20160928-140314-{i}.jpg,{i % 3},{weeds[i % 3]}" + chr(92) + "n" for i in range(6))}
        """, [{"": "\n".join(f"images/20160928-140314-{i}.jpg  ={c[i % 3]}" for i in range(6))} for c in (weeds, ["0", "1", "2"])],
                 "--pairs R/labels.csv --root R/images", (3,))
    yield Layout("lgg_mri", "Kaggle mateuszbuda/lgg-mri-segmentation", """
        kaggle_3m/TCGA_{CS_4941,DU_5849}_19960909/TCGA_19960909_{1..4}.tif  stub
        kaggle_3m/TCGA_{CS_4941,DU_5849}_19960909/TCGA_19960909_{1..4}_mask.tif  stub
        kaggle_3m/data.csv  text Patient,RNASeqCluster\\nTCGA_CS_4941,2\\n
        """, reason="tiff|\\.tif")
    yield Layout("label_studio_brush", "Label Studio, brush labels to PNG", """
        upload/{a1b2c3d4,b2c3d4e5,c3d4e5f6,d4e5f6a7}-street.jpg  photo
        export/task-{1-annotation-1,2-annotation-2,3-annotation-3,4-annotation-4}-by-1-tag-{Road,Tree}-0.png  mask /2
        """, reason="--pairs|names")
    boards = "PCBData/group00041/00041/0004100{0..4}_%s.jpg"
    yield Layout("deep_pcb", "tangsanli5201/DeepPCB", f"""
        {boards % "temp"}  photo
        {boards % "test"}  photo +10
        PCBData/group00041/00041_not/0004100{{0..4}}.txt  text 433 70 487 127 5\\n
        PCBData/trainval.txt  text group00041/00041/00041000.jpg group00041/00041_not/00041000.txt\\n
        """, reason="label|txt")
    yield Layout("market1501", "Market-1501 person re-identification", """
        bounding_box_train/{0002,0007,0010}_c1s1_{000451,000776}_03.jpg  photo
        bounding_box_test/{0001,0003}_c1s1_{000451,000776}_03.jpg  photo +6
        query/{0001,0003}_c{1,2}s1_001051_00.jpg  photo +10
        gt_bbox/{0001,0003}_c1s1_{000451,000776}_03.jpg  photo +14
        gt_query/{0001,0003}_c1s1_001051_00_good.mat  stub
        """, reason="label|class")


LAYOUTS = [*segmentation(), *class_folders(), *others()]
