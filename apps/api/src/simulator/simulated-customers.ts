import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import { findSendingNumbers } from '@signalbox/database/chat/senders';
import { inboundId } from '@signalbox/domain/chat/inbound-id';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { CHAT_SIMULATOR, chatSimulatorCallback } from '@signalbox/gateways/simulator/chat-callback';
import { CallbackIntake } from '@signalbox/runtime/callback-intake';
import { EntityManager } from 'typeorm';
import { ApiError } from '../errors/api-error.ts';
import { type CreatingCall, Creations } from '../http/creations.ts';
import type { SimulatedInbound } from '../inbound/inbound.dto.ts';

/** The customers of the simulated provider of a chat app. */
@Injectable()
export class SimulatedCustomers {
  constructor(
    private readonly db: EntityManager,
    private readonly creations: Creations,
    private readonly intake: CallbackIntake,
  ) {}

  /** Writes to a sender of the account. @returns the id that the message will be listed under @throws ApiError sender_not_found; those of idempotency keys */
  async write(
    call: CreatingCall,
    { from, to, type, text, context }: SimulatedInbound,
  ): Promise<{ id: string }> {
    const sender = parseMsisdn(to) ?? '';
    const [number] = await findSendingNumbers(this.db, [{ accountId: call.accountId, msisdn: sender }]);
    if (!number) throw new ApiError('sender_not_found');
    const callbackId = randomUUIDv7();
    const message = {
      id: callbackId,
      from,
      to: sender,
      timestamp: new Date().toISOString(),
      type,
      text,
      ...(context && { context }),
    };
    return this.creations.once(call, { id: inboundId(callbackId, 0) }, async () => {
      await this.intake.receive(CHAT_SIMULATOR, chatSimulatorCallback({ messages: [message] }), callbackId);
    });
  }
}
