#!/usr/bin/env python3
"""A worker that stays, and is handed its jobs over HTTP.

    drill run --serve "python3 testdata/workers/served.py careful.py"

It hands each job to one of the workers beside it, careful.py or careless.py, and
answers with what that one would have printed. Only Python's standard library is used.
"""

import contextlib
import io
import os
import runpy
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

WORKER = os.path.join(os.path.dirname(__file__), sys.argv[1])


class Jobs(BaseHTTPRequestHandler):
    def do_POST(self):
        job = self.rfile.read(int(self.headers["Content-Length"]))
        reports, status = io.StringIO(), 200
        sys.stdin = io.StringIO(job.decode())
        with contextlib.redirect_stdout(reports):
            try:
                runpy.run_path(WORKER, run_name="__main__")
            except SystemExit as e:
                status = 503 if e.code else 200
        body = reports.getvalue().encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


host, _, port = os.environ["DRILL_LISTEN"].partition(":")
HTTPServer((host, int(port)), Jobs).serve_forever()
