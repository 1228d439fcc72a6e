"""Halves the volume in each entry of a plugin about a sound, unless another program changed the entry meanwhile. Run it: python3 examples/programs/volumes.py [URL]"""
import json
import sys
from urllib.parse import quote
from urllib.request import Request, urlopen

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:7172"


def call(method, path, value=None, headers={}):
    body = None if value is None else json.dumps(value).encode()
    with urlopen(Request(URL + path, body, headers, method=method)) as answer:
        return json.load(answer)


for entry in call("GET", "/api/keys?prefix=com.example.hello/sounds/&values=true")["entries"]:
    value = {**entry["value"], "volume": entry["value"]["volume"] / 2}
    call("PUT", "/api/store/" + quote(entry["key"], safe=""), value, {"If-Match": entry["etag"]})
    print(entry["key"], value["volume"])
