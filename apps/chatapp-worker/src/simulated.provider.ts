import { listParties } from '@signalbox/database/messages/messages';
import { messageId, parseMessageId } from '@signalbox/domain/message-id';
import {
  CHAT_SIMULATOR,
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { chatScript } from '@signalbox/gateways/simulator/chat-script';
import type { SimulatedCallbacks, SimulatedStep } from '@signalbox/gateways/simulator/chat-simulator.gateway';
import type { ScriptedReport } from '@signalbox/gateways/simulator/script';
import {
  CHAT_SIMULATOR_JOB_OPTIONS,
  CHAT_SIMULATOR_JOB_WEIGHT,
  CHAT_SIMULATOR_QUEUE,
  type ChatSimulatorJob,
} from '@signalbox/queues/chat-simulator-queue';
import type { CallbackIntake } from '@signalbox/runtime/callback-intake';
import type { Queue } from 'bullmq';
import type { EntityManager } from 'typeorm';

/** What the recipient of script 0007 answers. */
const REPLY = 'YES';

/**
 * The provider that the simulator plays: it calls back as a real one does over HTTP, into the same intake. What it is to do later is a delayed job of ids, so
 * that it outlives its process. A step that is made twice is a callback that comes twice.
 */
export class SimulatedProvider implements SimulatedCallbacks {
  /** @param delayMs between callbacks */
  constructor(
    private readonly db: EntityManager,
    private readonly intake: CallbackIntake,
    private readonly queue: Pick<Queue<ChatSimulatorJob>, 'addBulk'>,
    private readonly delayMs: number,
  ) {}

  async schedule(steps: SimulatedStep[], delayMs: number): Promise<void> {
    await this.queue.addBulk(
      steps.flatMap(inChunks).map((data) => ({
        name: CHAT_SIMULATOR_QUEUE,
        data,
        opts: { ...CHAT_SIMULATOR_JOB_OPTIONS, delay: delayMs },
      })),
    );
  }

  /** @returns how many callbacks it made */
  async run({ script, step, messageIds }: SimulatedStep): Promise<{ callbacks: number }> {
    const { steps } = chatScript(script);
    const said = steps[step];
    if (said === undefined) return { callbacks: 0 };
    const told =
      said === 'reply'
        ? { messages: await this.repliesTo(messageIds) }
        : { statuses: statusesOf(messageIds, said) };
    await this.intake.receive(CHAT_SIMULATOR, chatSimulatorCallback(told));
    if (step + 1 < steps.length) await this.schedule([{ script, step: step + 1, messageIds }], this.delayMs);
    return { callbacks: 1 };
  }

  private async repliesTo(messageIds: string[]): Promise<SimulatorInbound[]> {
    const parties = await listParties(
      this.db,
      messageIds.flatMap((id) => parseMessageId(id) ?? []),
    );
    const timestamp = new Date().toISOString();
    return parties.map(({ submissionId, n, sender, recipient }) => {
      const answered = messageId(submissionId, n);
      const text = { body: REPLY };
      return {
        id: `reply-${answered}`,
        from: recipient,
        to: sender,
        timestamp,
        type: 'text',
        text,
        context: { messageId: answered },
      };
    });
  }
}

function inChunks({ script, step, messageIds }: SimulatedStep): SimulatedStep[] {
  const count = Math.ceil(messageIds.length / CHAT_SIMULATOR_JOB_WEIGHT);
  return Array.from({ length: count }, (_, i) => {
    const from = i * CHAT_SIMULATOR_JOB_WEIGHT;
    return { script, step, messageIds: messageIds.slice(from, from + CHAT_SIMULATOR_JOB_WEIGHT) };
  });
}

function statusesOf(
  messageIds: string[],
  { status, errCode, description }: ScriptedReport,
): SimulatorStatus[] {
  const timestamp = new Date().toISOString();
  const word = status.toLowerCase() as SimulatorStatus['status'];
  return messageIds.map((id) => ({ messageId: id, status: word, errCode, description, timestamp }));
}
