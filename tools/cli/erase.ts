import { parseArgs } from 'node:util';
import { type EntityManager, inTransaction } from '@signalbox/database/core/in-transaction';
import { rolledBack } from '@signalbox/database/core/rolled-back';
import { type Erased, erasePerson } from '@signalbox/database/ops/erasure';
import { isUserId } from '@signalbox/domain/chat/user-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { type Command, UsageError, databaseUrl } from './command.ts';

export const erase: Command = {
  forms: ['<number or user id> [--dry-run]'],
  details:
    'Opt-outs and statistics stay. The command reads whole tables, and changes nothing while a message or a code to the person is on its way, or a callback about them is not read. --dry-run counts the rows and changes nothing.',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean', default: false } },
    });
    const [given = '', ...rest] = positionals;
    const person = parseMsisdn(given) ?? (isUserId(given) ? given : undefined);
    if (!person || rest.length > 0)
      throw new UsageError('Name one phone number, 7 to 15 digits with the country code, or one user id.');
    const isTrial = values['dry-run'];
    // as in `npm run cli erase <number> --dry-run`, whose script does not get the option
    if (!isTrial && process.env['npm_config_dry_run'] === 'true')
      throw new UsageError('npm took --dry-run for itself: write -- before erase, as npm run cli -- erase …');
    const work = (db: EntityManager) => (isTrial ? tryOut(db, person) : eraseFinished(db, person));
    const { rows } = await inTransaction(databaseUrl(), 'signalbox-cli', work, 'long');
    if (rows.size === 0) return `Nothing is stored about ${person}.`;
    return [
      isTrial ? 'Nothing was erased. These rows would be deleted:' : `${person} is erased. Deleted rows:`,
      ...listOf(rows),
    ].join('\n');
  },
};

/** @throws Error while the person has open messages */
async function eraseFinished(db: EntityManager, person: string): Promise<Erased> {
  const erased = await erasePerson(db, person);
  if (erased.open > 0) throw new Error(refusal(person, erased.open));
  return erased;
}

async function tryOut(db: EntityManager, person: string): Promise<Erased> {
  let erased: Erased = { rows: new Map(), open: 0 };
  await rolledBack(db, async (trial) => {
    erased = await eraseFinished(trial, person);
  });
  return erased;
}

function refusal(person: string, open: number): string {
  const what =
    open === 1
      ? `1 message, code or report of ${person} is open`
      : `${open} messages, codes or reports of ${person} are open`;
  return `Nothing was erased: ${what}. Cancel scheduled sends, wait for the others to end, and repeat the command.`;
}

function listOf(rows: ReadonlyMap<string, number>): string[] {
  const width = Math.max(...Array.from(rows.keys(), (table) => table.length));
  return Array.from(rows, ([table, count]) => `  ${table.padEnd(width)}  ${count}`);
}
