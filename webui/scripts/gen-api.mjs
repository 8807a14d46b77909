// Writes src/api/schema.d.ts from the server's OpenAPI document, which is read from standard input.
import { writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(await text(process.stdin));
const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
const target = new URL("../src/api/schema.d.ts", import.meta.url);
writeFileSync(
  target,
  `// Written by scripts/gen-api.mjs from the server's OpenAPI document: change the server instead.\n${types}`,
);
