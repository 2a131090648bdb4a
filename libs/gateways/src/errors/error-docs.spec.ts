import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERR_CODES } from '@signalbox/domain/err-codes';
import { ERROR_TABLES } from './error-tables.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/gateways/errors.md'), 'utf8');

function tableUnder(heading: string): string {
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
}

/** Raw codes of a table by our code, in the order of the table. */
function codesIn(table: Readonly<Record<string, string>>, code: string): string {
  return Object.entries(table)
    .filter(([, own]) => own === code)
    .map(([raw]) => `\`${raw}\``)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(' ');
}

test('the page lists the codes and their meanings', () => {
  const rows = Object.entries(ERR_CODES)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`);

  expect(tableUnder('Codes')).toBe(['| errCode | meaning |', '|---|---|', ...rows].join('\n'));
});

test('the page lists every table as it is', () => {
  const names = Object.keys(ERROR_TABLES);
  const tables = Object.values<Readonly<Record<string, string>>>(ERROR_TABLES);
  const rows = Object.keys(ERR_CODES)
    .toSorted((a, b) => Number(a) - Number(b))
    .map((code) => ({ code, cells: tables.map((table) => codesIn(table, code)) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map(({ code, cells }) => `| \`${code}\` | ${cells.join(' | ')} |`);
  const head = [
    `| errCode | ${names.map((name) => `\`${name}\``).join(' | ')} |`,
    `|---|${'---|'.repeat(names.length)}`,
  ];

  expect(tableUnder('Tables')).toBe([...head, ...rows].join('\n').replaceAll(/ {2,}/g, '  '));
});
