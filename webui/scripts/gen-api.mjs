// Prints types made from the server's OpenAPI document, which comes on standard input: src/api/schema.d.ts.
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const document = JSON.parse(await text(process.stdin));
const types = astToString(await openapiTS(document, { rootTypes: true, rootTypesNoSchemaPrefix: true }));
process.stdout.write(
  `// Made from the server's OpenAPI document (make docs): change the server instead.\n${types}`,
);
