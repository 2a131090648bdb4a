import { listWaitingLanes } from '@signalbox/database/submissions/ready';
import { readyDue } from '@signalbox/database/submissions/submissions';
import { CHAT_LANES, type ChatLane } from '@signalbox/domain/lane';
import type { ChatappJob } from '@signalbox/queues/chatapp-queue';
import type { Logger } from '@signalbox/runtime/logger';
import type { EntityManager } from 'typeorm';
import type { ChatappDispatcher, Dispatched } from './chatapp.dispatcher.ts';
import { ChatappTurns } from './chatapp.turns.ts';

/** What became of a job. */
export type Served = Dispatched | { leftToTurns: number };

/** Serves the lanes of chat-app messages, each in turns of its own. */
export class ChatappLanes {
  private readonly turns: Record<ChatLane, ChatappTurns>;

  constructor(
    private readonly db: EntityManager,
    private readonly dispatcher: ChatappDispatcher,
    logger: Logger,
  ) {
    const entries = CHAT_LANES.map((lane) => [lane, new ChatappTurns(lane, dispatcher, logger)]);
    this.turns = Object.fromEntries(entries) as Record<ChatLane, ChatappTurns>;
  }

  /** Serves a job. What it names is left to the turns, whose senders share a pace; what is to be taken up again has its place in that already. */
  async run(lane: ChatLane, { submissionIds, again }: ChatappJob): Promise<Served> {
    if (again) return this.dispatcher.retry(lane, submissionIds);
    this.turns[lane].wake();
    return { leftToTurns: submissionIds.length };
  }

  /** Makes messages ready whose time has come. */
  async readyDue(): Promise<void> {
    for (const lane of await readyDue(this.db, 'chatapp')) this.turns[lane].wake();
  }

  /** Looks for what is ready and nobody takes: its bell was lost, or other workers have more than they can take. */
  async lookForWaiting(): Promise<void> {
    for (const lane of await listWaitingLanes(this.db, 'chatapp')) this.turns[lane].wake();
  }

  /** Takes nothing more, and resolves when all that was taken is done. */
  async close(): Promise<void> {
    await Promise.all(CHAT_LANES.map((lane) => this.turns[lane].close()));
  }
}
