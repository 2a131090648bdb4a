import { Injectable } from '@nestjs/common';
import { type MessageParties, listParties } from '@signalbox/database/messages/messages';
import { messageId, parseMessageId } from '@signalbox/domain/message-id';
import {
  CHAT_SIMULATOR,
  type SimulatorInbound,
  type SimulatorStatus,
  chatSimulatorCallback,
} from '@signalbox/gateways/simulator/chat-callback';
import { type ChatScript, chatScript } from '@signalbox/gateways/simulator/chat-script';
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

  async run(step: SimulatedStep): Promise<void> {
    await this.callBack(step);
    await this.scheduleFrom(nextOf(step));
  }

  /**
   * Runs the job of a step. Without a delay between callbacks it makes those of all steps that follow, too: a job for
   * each would cost more than its callback. When one of them fails, the job makes all of them again.
   *
   * @returns the number of callbacks made
   */
  async play(first: SimulatedStep): Promise<{ callbacks: number }> {
    const most = this.config.SIMULATOR_DELAY_MS > 0 ? 1 : Infinity;
    let step = first;
    let callbacks = 0;
    for (; callbacks < most && isStep(step); step = nextOf(step)) {
      await this.callBack(step);
      callbacks += 1;
    }
    await this.scheduleFrom(step);
    return { callbacks };
  }

  private async scheduleFrom(step: SimulatedStep): Promise<void> {
    if (isStep(step)) await this.schedule([step], this.config.SIMULATOR_DELAY_MS);
  }

  private async callBack(step: SimulatedStep): Promise<void> {
    const event = eventOf(step);
    if (event === undefined) return;
    const { messageIds } = step;
    const content =
      event === 'reply'
        ? { messages: await this.repliesTo(messageIds) }
        : { statuses: statusesOf(messageIds, event) };
    await this.intake.receive(CHAT_SIMULATOR, chatSimulatorCallback(content));
  }

  private async repliesTo(messageIds: string[]): Promise<SimulatorInbound[]> {
    const parties = await listParties(
      this.db,
      messageIds.flatMap((id) => parseMessageId(id) ?? []),
    );
    return parties.map(toReply);
  }
}

function eventOf({ script, step }: SimulatedStep): ChatScript['steps'][number] | undefined {
  return chatScript(script).steps[step];
}

function isStep(step: SimulatedStep): boolean {
  return eventOf(step) !== undefined;
}

function nextOf(step: SimulatedStep): SimulatedStep {
  return { ...step, step: step.step + 1 };
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
