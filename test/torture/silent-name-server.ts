import dns, { Resolver } from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Variable that names the address of the only name server of a process. */
export const NAME_SERVER = 'TORTURE_NAME_SERVER';

// Loaded by `node --import`: a resolver begins with the name servers of the system.
const server = process.env[NAME_SERVER] ?? '';
if (server !== '') {
  dns.Resolver = class extends Resolver {
    constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
      super(options);
      this.setServers([server]);
    }
  };
  syncBuiltinESMExports();
}
