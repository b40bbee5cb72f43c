"""Validates objects of Kubernetes with JSON Schemas.

Standard input: JSON with "manifests" (YAML by name), "definitions" (texts with CustomResourceDefinitions) and "data" (the
expected data of each ConfigMap by name). Prints a line for each manifest, then the number of passed and failed ones.
"""

import importlib.util
import json
import pathlib
import sys

import jsonschema_rs
import yaml

RELEASE = "v1.37.0-local-strict"
# The package is not imported, because only its schemas are installed.
PACKAGE = importlib.util.find_spec("kubernetes_validate").submodule_search_locations[0]
FOLDER = pathlib.Path(PACKAGE) / "kubernetes-json-schema" / RELEASE


def strict(schema):
    """Refuses unknown fields where a definition lists the known ones, as the API server does for kubectl."""
    if isinstance(schema, list):
        return [strict(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    if isinstance(closed.get("properties"), dict) and "x-kubernetes-preserve-unknown-fields" not in closed:
        closed.setdefault("additionalProperties", False)
    return closed


def custom(definitions):
    """Schemas of custom resources, by apiVersion and kind."""
    schemas = {}
    for text in definitions:
        for definition in filter(None, yaml.safe_load_all(text)):
            spec = definition["spec"]
            for version in spec["versions"]:
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema["properties"]["metadata"] = {"type": "object"}
                schemas[f"{spec['group']}/{version['name']}", spec["names"]["kind"]] = schema
    return schemas


def schema_of(document, customs):
    version, kind = document["apiVersion"], document["kind"]
    if (version, kind) in customs:
        return customs[version, kind]
    name = "-".join([kind.lower(), *version.replace(".k8s.io", "").split("/")])
    return json.loads((FOLDER / f"{name}.json").read_text())


def load(uri):
    return json.loads((FOLDER / uri.rsplit("/", 1)[-1]).read_text())


def problems(text, customs, expected):
    for document in yaml.safe_load_all(text):
        validator = jsonschema_rs.validator_for(schema_of(document, customs), retriever=load, base_uri="json-schema:///")
        for error in validator.iter_errors(document):
            yield f"{document['kind']}: {list(error.instance_path)}: {error.message}"
        name = document["metadata"]["name"]
        if name in expected and document["data"] != expected[name]:
            yield f"{document['kind']}: {name} has other data than the file"


def main():
    given = json.load(sys.stdin)
    customs = custom(given["definitions"])
    failed = 0
    for name, text in given["manifests"].items():
        found = list(problems(text, customs, given["data"].get(name, {})))
        failed += bool(found)
        print("\n  ".join([f"{'failed' if found else 'ok'}  {name}", *found]))
    print(f"{len(given['manifests']) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
