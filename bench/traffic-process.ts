import { Generator, type Load } from './generator.ts';
import { Receiver } from './receiver.ts';
import { answerCommands } from './side-process.ts';

/*
 * Both ends of the pipeline: the caller of the api and the endpoint of the webhook. In one process a receipt opens the
 * window of the generator immediately.
 */

let pushesPerMessage = 1;
/** Calls received before the load began. */
let countBefore = 0;
const generator = new Generator();
const { receiver, url } = await Receiver.listen((count) =>
  generator.setReceived(Math.floor((count - countBefore) / pushesPerMessage)),
);

answerCommands({
  url: () => url,
  run: (load: Load) => {
    countBefore = receiver.count;
    return generator.run(load);
  },
  stop: () => generator.stop(),
  pushesPerMessage: ({ count }: { count: number }) => void (pushesPerMessage = count),
  accepted: () => generator.accepted,
  count: () => receiver.count,
  receipts: () => receiver.receipts(),
  resetLatencies: () => receiver.resetLatencies(),
  reset: () => {
    countBefore = 0;
    receiver.reset();
  },
});
