import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** CPU profiles that the apps write when they end. */
export interface Profiles extends Disposable {
  /** Makes every app write one. */
  env: NodeJS.ProcessEnv;
  /** The apps by pid, for the heads of the lists. */
  names: Map<number, string>;
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const SHOWN = 45;
const LEAST_MICROS = 1;

/**
 * Makes apps write profiles to a folder. Once the stack has ended, prints the functions of each app with the most self
 * time.
 */
export function profilesIn(dir: string): Profiles {
  mkdirSync(dir);
  const names = new Map<number, string>();
  const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir} --cpu-prof-name=\${pid}.cpuprofile` };
  return {
    env,
    names,
    [Symbol.dispose]: () =>
      readdirSync(dir).forEach((file) => print(names.get(Number.parseInt(file, 10)), join(dir, file))),
  };
}

function print(app = 'another process', file: string): void {
  const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
  const selfMicros = selfTimes(profile);
  const idle = selfMicros.get('(idle)') ?? 0;
  selfMicros.delete('(idle)');
  const busy = [...selfMicros.values()].reduce((sum, micros) => sum + micros, 0);
  console.log(
    `\n${app}: busy ${(busy / 1e6).toFixed(1)} s of ${((busy + idle) / 1e6).toFixed(1)} s; share of the busy time by function:`,
  );
  for (const [name, micros] of byPlace(selfMicros))
    console.log(`  ${((micros / Math.max(busy, LEAST_MICROS)) * 100).toFixed(1).padStart(5)} %  in ${name}`);
  const most = [...selfMicros].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  for (const [name, micros] of most)
    console.log(`  ${((micros / Math.max(busy, LEAST_MICROS)) * 100).toFixed(1).padStart(5)} %  ${name}`);
}

function selfTimes({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const micros = new Map<string, number>();
  samples.forEach((id, i) => {
    const name = names.get(id) ?? '';
    micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  });
  return micros;
}

/** Adds functions up by their package, the places of at least a hundredth of the time first. */
function byPlace(selfMicros: Map<string, number>): [string, number][] {
  const places = new Map<string, number>();
  for (const [name, micros] of selfMicros) {
    const file = name.includes(' ') ? name.split(' ').at(-1)! : 'node and the kernel';
    const place = file.startsWith('node:') ? file.split(/[/:]/).slice(0, 3).join('/') : PLACE.exec(file)![0];
    places.set(place, (places.get(place) ?? 0) + micros);
  }
  const busy = [...places.values()].reduce((sum, micros) => sum + micros, 0);
  return [...places].filter(([, micros]) => micros > busy / 100).toSorted(([, a], [, b]) => b - a);
}

/** `apps/api`, `libs/domain`, `@nestjs/core` or `pg`. */
const PLACE = /^(?:apps\/[^/]+|libs\/[^/]+|@[^/]+\/[^/]+|[^/]*)/;

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const place =
    url
      .split('/node_modules/')
      .at(-1)
      ?.replace(/^file:.*\/(apps|libs)\//, '$1/') ?? '';
  return place === '' ? functionName : `${functionName || '(anonymous)'} ${place}:${lineNumber + 1}`;
}
