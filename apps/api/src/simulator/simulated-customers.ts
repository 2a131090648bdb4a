import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findSendingNumbers } from '@signalbox/database/chat/senders';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { inboundId } from '@signalbox/domain/chat/inbound-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { CHAT_SIMULATOR, chatSimulatorCallback } from '@signalbox/gateways/simulator/chat-callback';
import { storeInboundSms, toInboundSms } from '@signalbox/messaging/sms/inbound';
import { CALLBACK_QUEUE, REPORT_QUEUES, callbackWeight } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { Creations } from '../http/creations.ts';
import type { CreatingCall } from '../http/repeatable-call.ts';
import type { SimulatedInbound } from '../inbound/inbound.dto.ts';

/** Name of the simulated SMS gateway. */
const SMS_SIMULATOR = 'simulator';

type Call = CreatingCall<SimulatedInbound>;

/** Customers of the simulated gateways. */
@Injectable()
export class SimulatedCustomers {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly queues: Queues,
  ) {}

  /**
   * Sends a message to a sender of the account, stored in the transaction of its idempotency key.
   *
   * @returns the id under which the message will be listed
   * @throws ApiError sender_not_found; those of idempotency keys
   */
  write(call: Call): Promise<{ id: string }> {
    return call.request.channel === 'sms' ? this.writeSms(call) : this.writeChat(call);
  }

  /** Stores a callback of the gateway, which a worker reads. */
  private async writeChat(call: Call): Promise<{ id: string }> {
    const to = await this.findSender(call);
    const id = randomUUIDv7();
    const callback = { id, gateway: CHAT_SIMULATOR, body: bodyOf(call.request, id, to) };
    const answer = { id: inboundId(id, 0) };
    const created = await this.creations.once(call, answer, async (db) => {
      await insertCallbacks(db, [callback]);
    });
    if (created === answer)
      this.queues.get(CALLBACK_QUEUE).enqueue([id], callbackWeight(callback.body.length));
    return created;
  }

  /** Stores an SMS of the account as its gateway would. Any sender, even a name, can be written to. */
  private async writeSms(call: Call): Promise<{ id: string }> {
    const answer = { id: randomUUIDv7() };
    const sms = { ...smsOf(call.request, answer.id), givenTo: call.accountId };
    const reportIds: string[] = [];
    const created = await this.creations.once(call, answer, async (db) => {
      reportIds.push(...(await storeInboundSms(db, [sms])).reportIds);
    });
    this.queues.get(REPORT_QUEUES.OTHER).enqueue(reportIds);
    return created;
  }

  private async findSender({ accountId, request }: Call): Promise<string> {
    const msisdn = parseMsisdn(request.to) ?? '';
    const [number] = await findSendingNumbers(this.db, [{ accountId, msisdn }]);
    if (!number) throw new ApiError('sender_not_found');
    return msisdn;
  }
}

function bodyOf({ from, type, context, ...content }: SimulatedInbound, id: string, to: string): Buffer {
  const timestamp = new Date().toISOString();
  const message = { id, from, to, timestamp, type, [type]: content[type], ...(context && { context }) };
  return chatSimulatorCallback({ messages: [message] });
}

function smsOf({ from, to, text }: SimulatedInbound, id: string) {
  return toInboundSms(SMS_SIMULATOR, id, {
    gatewayMessageId: id,
    from,
    to,
    kind: 'text',
    content: { text },
    replyTo: null,
    sentAt: new Date(),
  });
}
