"""An S3 server for tests on a free port of 127.0.0.1, with one bucket. Ends with its standard input."""

import logging
import os
import sys
import threading

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


def main(bucket: str) -> None:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    threading.Thread(target=end_with_parent, daemon=True).start()
    application = DomainDispatcherApplication(create_backend_app)
    server = make_server("127.0.0.1", 0, application, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{server.port}",
        region_name="us-east-1",
        aws_access_key_id="tests",
        aws_secret_access_key="secret-of-tests",
    )
    client.create_bucket(Bucket=bucket)
    print(f"listening {server.port}", flush=True)
    threading.Event().wait()


main(sys.argv[1])
