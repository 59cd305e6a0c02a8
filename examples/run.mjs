// Runs a TypeScript example where Node does not take types away by itself (before 22.18):
//   node examples/run.mjs write-answer.ts
// Newer: node examples/write-answer.ts
import { readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';

const path = fileURLToPath(new URL(process.argv[2], import.meta.url));
const { code } = await transformWithOxc(await readFile(path, 'utf8'), path, { sourcemap: false });
// Beside its source, so that relative imports mean the same.
const plain = path.replace(/\.ts$/, `.${process.pid}.mjs`);
try {
  await writeFile(plain, code);
  process.argv.splice(1, 2, plain);
  await import(pathToFileURL(plain).href);
} finally {
  await rm(plain, { force: true });
}
