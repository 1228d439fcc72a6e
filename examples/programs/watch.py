"""Prints each change of a plugin's entries. Run it: python3 examples/programs/watch.py [URL]"""
import json
import sys
from urllib.request import urlopen

URL = sys.argv[1] if len(sys.argv) > 1 else "http://localhost:7172"

with urlopen(URL + "/api/events?prefix=com.example.hello/") as stream:
    print("watching", flush=True)
    for line in stream:
        if line.startswith(b"data:"):
            event = json.loads(line[5:])
            print(event["kind"], event.get("key"), event.get("value"), flush=True)
