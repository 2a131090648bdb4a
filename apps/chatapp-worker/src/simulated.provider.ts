import { Injectable } from '@nestjs/common';
import { type MessageParties, listParties } from '@signalbox/database/messages/messages';
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
import { CallbackIntake } from '@signalbox/messaging/callbacks/callback-intake';
import { CHAT_SIMULATOR_QUEUE } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { ChatappWorkerConfig } from './config.ts';

/** Reply of the recipient of script 0007. */
const REPLY = 'YES';

/**
 * Plays the provider of the simulator: it calls back into the same intake as a real provider does over HTTP. Its next
 * steps are delayed jobs, so that they survive the process. A repeated step is a repeated callback.
 */
@Injectable()
export class SimulatedProvider implements SimulatedCallbacks {
  constructor(
    private readonly db: EntityManager,
    private readonly intake: CallbackIntake,
    private readonly queues: Queues,
    private readonly config: ChatappWorkerConfig,
  ) {}

  async schedule(steps: SimulatedStep[], delayMs: number): Promise<void> {
    const queue = this.queues.get(CHAT_SIMULATOR_QUEUE);
    await Promise.all(
      steps.map(({ script, step, messageIds }) => queue.addJobs(messageIds, { script, step }, { delayMs })),
    );
  }

  /** @returns the number of callbacks made */
  async run({ script, step, messageIds }: SimulatedStep): Promise<{ callbacks: number }> {
    const { steps } = chatScript(script);
    const event = steps[step];
    if (event === undefined) return { callbacks: 0 };
    const content =
      event === 'reply'
        ? { messages: await this.repliesTo(messageIds) }
        : { statuses: statusesOf(messageIds, event) };
    await this.intake.receive(CHAT_SIMULATOR, chatSimulatorCallback(content));
    if (step + 1 < steps.length)
      await this.schedule([{ script, step: step + 1, messageIds }], this.config.SIMULATOR_DELAY_MS);
    return { callbacks: 1 };
  }

  private async repliesTo(messageIds: string[]): Promise<SimulatorInbound[]> {
    const parties = await listParties(
      this.db,
      messageIds.flatMap((id) => parseMessageId(id) ?? []),
    );
    return parties.map(toReply);
  }
}

function toReply({ submissionId, n, sender, recipient }: MessageParties): SimulatorInbound {
  const repliedTo = messageId(submissionId, n);
  return {
    id: `reply-${repliedTo}`,
    from: recipient,
    to: sender,
    timestamp: new Date().toISOString(),
    type: 'text',
    text: { body: REPLY },
    context: { messageId: repliedTo },
  };
}

function statusesOf(
  messageIds: string[],
  { status, errCode, description }: ScriptedReport,
): SimulatorStatus[] {
  const timestamp = new Date().toISOString();
  const word = status.toLowerCase() as SimulatorStatus['status'];
  return messageIds.map((id) => ({ messageId: id, status: word, errCode, description, timestamp }));
}
