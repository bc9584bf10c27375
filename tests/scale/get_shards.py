"""Makes a bucket: get_shards.py ENDPOINT BUCKET

Downloads what it holds: get_shards.py ENDPOINT BUCKET PREFIX FOLDER
"""

import sys
from pathlib import Path

import boto3

endpoint, bucket = sys.argv[1:3]
keys = {"aws_access_key_id": "scale", "aws_secret_access_key": "check"}
store = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys)
if len(sys.argv) == 3:
    store.create_bucket(Bucket=bucket)
else:
    prefix, folder = sys.argv[3], Path(sys.argv[4])
    pages = store.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{prefix}/")
    for key in [each["Key"] for page in pages for each in page.get("Contents", ())]:
        store.download_file(bucket, key, str(folder / Path(key).name))
