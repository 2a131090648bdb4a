/**
 * Docker as `deploy/compose/update.sh` sees it: the file STATE has the api containers, of which two are configured and four
 * have a port. With HEALTH=unhealthy a new one does not become healthy, and with STOP=broken none can be stopped. With
 * STOP=interrupted the update is interrupted while one is.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const CONFIGURED = 2;
const PORTS = 4;
const { STATE, HEALTH, STOP } = process.env;
const state = JSON.parse(readFileSync(STATE, 'utf8'));
const [first, ...args] = process.argv.slice(2);
const command = first === 'compose' ? `compose ${args.shift()}` : first;
const last = args.at(-1);
let exitCode = 0;

const isStopped = (id) => id.startsWith('stopped');
const remove = (isRemoved) => (state.containers = state.containers.filter((id) => !isRemoved(id)));

if (command === 'compose ps') console.log(state.containers.filter((id) => !isStopped(id)).join('\n'));
if (command === 'compose rm') remove(isStopped);
if (command === 'rm') remove((id) => id === last);
if (command === 'stop' && STOP === 'broken') exitCode = 1;
if (command === 'stop' && STOP === 'interrupted') process.kill(process.ppid, 'SIGTERM');
if (command === 'compose up' && last === 'api') {
  const scale = args.find((arg) => arg.startsWith('api='));
  const wanted = scale ? Number(scale.slice('api='.length)) : CONFIGURED;
  state.containers = state.containers.map((id) => id.replace('stopped', 'old')).slice(0, wanted);
  while (state.containers.length < wanted && exitCode === 0) {
    if (state.containers.length === PORTS)
      exitCode = 1; // the port is already allocated
    else state.containers.push(`new-${(state.made += 1)}`);
  }
  if (HEALTH === 'unhealthy') exitCode = 1;
}
writeFileSync(STATE, JSON.stringify(state));
process.exitCode = exitCode;
