// nextflow run main.nf --data '--images /data/train --labels /data/masks --classes /data/class_dict.csv --size 512x512' \
//                      --output /data/packed/train --parts 40
//
// Paths in --data and --output are absolute: each task runs in a folder of its own. All tasks write their shards to
// --output. Where the tasks share no folder, add --scratch DIR and --on-shard 'aws s3 cp {} s3://bucket/train/' to
// `hotpack pack`, and leave out its -o: receipts are all that the merge needs.
params.data = '--images /data/train --labels /data/masks --classes /data/class_dict.csv --size 512x512'
params.output = '/data/packed/train'
params.parts = 40

process PLAN {
    cpus 4

    output:
    path 'train.plan'

    script:
    """
    hotpack plan ${params.data} -j ${task.cpus} -o train.plan
    """
}

process PACK {
    cpus 2
    // 1, 2 and 4: wrong data, a wrong call, damage. Another try does not help.
    errorStrategy { task.exitStatus in [1, 2, 4] ? 'finish' : 'retry' }
    maxRetries 3

    input:
    tuple val(part), path(plan)

    output:
    path 'receipts/*.json'

    script:
    """
    hotpack pack --plan ${plan} --partition ${part}/${params.parts} -j ${task.cpus} --receipt receipts -o ${params.output}
    """
}

process MERGE {
    input:
    path receipts

    output:
    stdout

    script:
    """
    hotpack merge --receipts . -o ${params.output}
    """
}

workflow {
    plan = PLAN()
    parts = channel.of(0..<params.parts as int).combine(plan)
    MERGE(PACK(parts).collect())
}
