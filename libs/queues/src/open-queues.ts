import type { Logger } from '@signalbox/runtime/logger';
import type { QueueDefinition } from './define-queue.ts';
import { JobQueue } from './job-queue.ts';
import { type QueueSettings, isPostgres } from './queue-connection.ts';
import { concealQueues, exposeQueues } from './queue-metrics.ts';

/** The queues that a process enqueues to, each opened once. */
export class Queues {
  private constructor(private readonly byName: ReadonlyMap<string, JobQueue>) {}

  /**
   * Opens queues.
   *
   * @param counted queues whose jobs this process shows in its metrics: those that it consumes
   */
  static async open(
    definitions: readonly QueueDefinition[],
    settings: QueueSettings,
    logger: Logger,
    counted: readonly QueueDefinition[] = [],
  ): Promise<Queues> {
    const open = async (definition: QueueDefinition) =>
      [definition.name, await JobQueue.open(definition, settings, logger)] as const;
    const byName = new Map(await Promise.all(definitions.map(open)));
    const [first] = byName.values();
    if (!isPostgres(settings.url)) first?.warnOfEviction().catch(() => undefined); // unreachable: logged by its connection
    exposeQueues(counted.flatMap(({ name }) => byName.get(name) ?? []));
    return new Queues(byName);
  }

  /** @throws Error when this process did not open the queue */
  get<Extra extends object>(definition: QueueDefinition<Extra>): JobQueue<Extra> {
    const queue = this.byName.get(definition.name);
    if (!queue) throw new Error(`queue ${definition.name} is not open in this process`);
    return queue as unknown as JobQueue<Extra>;
  }

  /** All queues that this process opened, in their order. */
  get all(): JobQueue[] {
    return [...this.byName.values()];
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    concealQueues(this.byName.values());
    await Promise.all(Array.from(this.byName.values(), (queue) => queue.close()));
  }
}
