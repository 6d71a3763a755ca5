// The sources of the page import each other in one direction: node web/test/imports.mjs [FOLDER]
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const folder = process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url));
const withoutEnding = (file) => file.replace(/\.tsx?$/, '');
// Imports of types count, too: whoever reads one file has to know the other.
const imports = new Map(readdirSync(folder, { recursive: true }).filter((file) => /\.tsx?$/.test(file)).map((file) => [
  withoutEnding(file),
  ts.preProcessFile(readFileSync(join(folder, file), 'utf8')).importedFiles.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'))
    .map((name) => withoutEnding(join(dirname(file), name))),
]));
if (imports.size < 2) throw new Error(`${folder} has ${imports.size} sources`);

const done = new Set(), cycles = [];
function visit(file, path) {
  const at = path.indexOf(file);
  if (at >= 0) cycles.push([...path.slice(at), file]);
  if (at >= 0 || done.has(file)) return;
  for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  done.add(file);
}
for (const file of imports.keys()) visit(file, []);
for (const cycle of cycles) console.error(`web/src: ${cycle.join(' > ')} is a cycle of imports; move what both need into a file of its own`);
process.exit(cycles.length > 0 ? 1 : 0);
