// Makes the types of the API from the server's OpenAPI document: node scripts/gen-api.mjs <document> <types>
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const [source, target] = process.argv.slice(2);
const document = JSON.parse(readFileSync(source, "utf-8"));
const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
writeFileSync(
  target,
  `// Made from the server's OpenAPI document (make docs): change the server instead.\n${types}`,
);
