import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findSendingNumbers } from '@signalbox/database/chat/senders';
import { insertCallbacks } from '@signalbox/database/reports/callbacks';
import { inboundId } from '@signalbox/domain/chat/inbound-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { CHAT_SIMULATOR, chatSimulatorCallback } from '@signalbox/gateways/simulator/chat-callback';
import { CALLBACK_QUEUE, callbackWeight } from '@signalbox/queues/definitions';
import { Queues } from '@signalbox/queues/open-queues';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { Creations } from '../http/creations.ts';
import type { CreatingCall } from '../http/repeatable-call.ts';
import type { SimulatedInbound } from '../inbound/inbound.dto.ts';

/** Customers of the simulated chat-app gateway. */
@Injectable()
export class SimulatedCustomers {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly queues: Queues,
  ) {}

  /**
   * Sends a message to a sender of the account, stored as a callback in the transaction of its idempotency key.
   *
   * @returns the id under which the message will be listed
   * @throws ApiError sender_not_found; those of idempotency keys
   */
  async write(call: CreatingCall<SimulatedInbound>): Promise<{ id: string }> {
    const to = await this.findSender(call);
    const id = randomUUIDv7();
    const callback = { id, gateway: CHAT_SIMULATOR, body: bodyOf(call.request, id, to) };
    const answer = { id: inboundId(id, 0) };
    const created = await this.creations.once(call, answer, (db) => insertCallbacks(db, [callback]));
    if (created === answer)
      this.queues.get(CALLBACK_QUEUE).enqueue([id], callbackWeight(callback.body.length));
    return created;
  }

  private async findSender({ accountId, request }: CreatingCall<SimulatedInbound>): Promise<string> {
    const msisdn = parseMsisdn(request.to) ?? '';
    const [number] = await findSendingNumbers(this.db, [{ accountId, msisdn }]);
    if (!number) throw new ApiError('sender_not_found');
    return msisdn;
  }
}

function bodyOf({ from, type, text, context }: SimulatedInbound, id: string, to: string): Buffer {
  const timestamp = new Date().toISOString();
  const message = { id, from, to, timestamp, type, text, ...(context && { context }) };
  return chatSimulatorCallback({ messages: [message] });
}
