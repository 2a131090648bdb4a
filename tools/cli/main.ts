import { parseArgs } from 'node:util';
import { apply } from './apply.ts';

const USAGE = `Usage: npm run cli -- <command>

  apply [file]   makes gateways and routes what the YAML file says, by default GATEWAYS_FILE
  --help         shows this text

Commands work on the database of DATABASE_URL, with SECRETS_KEY and SECRETS_KEYS_OLD as the api has them.`;

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<string>>> = { apply };

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const [name = '', ...rest] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (values.help) console.log(USAGE);
  else if (command) console.log(await command(rest));
  else throw new Error(name === '' ? USAGE : `There is no command "${name}".\n\n${USAGE}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
