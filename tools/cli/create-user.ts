import { parseArgs } from 'node:util';
import { createUser as store } from '@signalbox/database/users/seed';
import { parseEmail } from '@signalbox/domain/email';
import { ROLES, type Role } from '@signalbox/domain/role';
import { type Command, UsageError, databaseUrl, findAddress } from './command.ts';

export const createUser: Command = {
  forms: ['<e-mail address> --account <name or id> [--role viewer|editor|admin|operator] [--name <name>]'],
  details:
    'The link works once, for 48 hours; of a user who has a password, for ten minutes. The role is admin by default; an operator has every account. A user who exists gets the role in this account, and loses the password when that is another account, or as a new operator. The link begins with SIGNALBOX_URL or PUBLIC_URL, if one is set.',
  async run(args) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        account: { type: 'string' },
        role: { type: 'string', default: 'admin' },
        name: { type: 'string' },
      },
    });
    const [given = '', ...rest] = positionals;
    const email = parseEmail(given);
    if (!email || rest.length > 0) throw new UsageError('Name one e-mail address.');
    if (!values.account) throw new UsageError('Name an account with --account.');
    const role = readRole(values.role);
    const token = await store(databaseUrl(), {
      email,
      name: values.name?.slice(0, 100) || email.split('@')[0]!,
      role,
      account: values.account,
    });
    return `${findAddress('SIGNALBOX_URL') ?? findAddress('PUBLIC_URL') ?? ''}/app/#token=${token}`;
  },
};

function readRole(text: string): Role {
  const role = ROLES.find((each) => each === text);
  if (role === undefined) throw new UsageError(`The role must be one of ${ROLES.join(', ')}.`);
  return role;
}
