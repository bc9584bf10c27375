"""Uploads a file to a bucket: put_shard.py ENDPOINT BUCKET PREFIX FILE"""

import sys
from pathlib import Path

import boto3

endpoint, bucket, prefix, name = sys.argv[1:]
keys = {"aws_access_key_id": "scale", "aws_secret_access_key": "check"}
store = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys)
store.upload_file(name, bucket, f"{prefix}/{Path(name).name}")
