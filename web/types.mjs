// Prints the types of result.json, why.json and tornado.json, which web/build.sh keeps in web/src/result.d.ts: node web/types.mjs NAME.schema.json...
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const nameOf = (name) => name.replace(/(^|_)([a-z])/g, (_, before, letter) => letter.toUpperCase());
const PLAIN = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' };

function typeOf(schema) {
  const { $ref, anyOf, oneOf, type } = schema;
  if ($ref) return nameOf($ref.replace('#/$defs/', ''));
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).map(typeOf).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(' | ');
  return [type].flat().map((one) => {
    if (one === 'array') return `Array<${typeOf(schema.items)}>`;
    if (one === 'object') return `Record<string, ${typeOf(schema.additionalProperties)}>`;
    if (!(one in PLAIN)) throw new Error(`web/types.mjs does not know ${JSON.stringify(schema)}`);
    return PLAIN[one];
  }).join(' | ');
}

// The schema has the meaning of each member.
function interfaceOf([name, { properties, required }]) {
  const members = Object.entries(properties).map(([member, schema]) => `  ${member}${required.includes(member) ? '' : '?'}: ${typeOf(schema)};\n`);
  return `export interface ${nameOf(name)} {\n${members.join('')}}\n`;
}

for (const file of process.argv.slice(2)) {
  const { $defs, ...document } = JSON.parse(readFileSync(file, 'utf8'));
  process.stdout.write([...Object.entries($defs), [basename(file, '.schema.json'), document]].map(interfaceOf).join(''));
}
