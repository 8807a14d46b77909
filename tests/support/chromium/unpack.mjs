// Unpacks the browser and its libraries into the temporary folder, which scripts/chromium.py points at our own.
import chromium, { inflate } from "@sparticuz/chromium";
import { fileURLToPath } from "node:url";

await chromium.executablePath();
// The package unpacks these only on the hosting service that it is made for; a plain machine may lack them too.
await inflate(fileURLToPath(new URL("node_modules/@sparticuz/chromium/bin/al2023.tar.br", import.meta.url)));
