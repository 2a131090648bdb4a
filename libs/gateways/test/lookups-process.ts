import { EndpointResolver } from '../src/endpoint-resolver.ts';

/**
 * Looks up names for a minute, of which none is answered by the name server of the argument, and closes on the first
 * message.
 */
const [, , server = ''] = process.argv;
const resolver = new EndpointResolver({ allowPrivate: false, servers: [server], limitMs: 60_000 });
const outcomes = Promise.allSettled(
  Array.from({ length: 20 }, (_, i) => resolver.lookup(`n${i}.silent.example`)),
);
process.once('message', () => {
  resolver.close();
  void outcomes.then(() => process.disconnect());
});
