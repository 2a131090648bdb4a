import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findSendingNumbers } from '@signalbox/database/chat/senders';
import type { Channel } from '@signalbox/domain/channel';
import { parseMsisdn } from '@signalbox/domain/msisdn';
import { countParts } from '@signalbox/domain/sms/parts';
import { isSmsSender } from '@signalbox/domain/sms/sender';
import { EntityManager } from 'typeorm';
import { ApiError, invalidRequest } from '../errors/api-error.ts';
import { notMsisdn } from '../http/rules.ts';
import type { CreatingCall } from '../http/repeatable-call.ts';
import type { SendResult } from '../sending/send-result.ts';
import { type Composed, SubmissionIntake } from '../sending/submission-intake.ts';
import type { GatewayTest } from './gateway.dto.ts';
import { GatewaysService } from './gateways.service.ts';

/** Sends messages through one gateway, without regard to routes. */
@Injectable()
export class GatewayTestsService {
  constructor(
    private readonly db: EntityManager,
    private readonly gateways: GatewaysService,
    private readonly intake: SubmissionIntake,
  ) {}

  /**
   * Sends a message of the caller's account. It waits while the gateway is down, for ten minutes.
   *
   * @throws ApiError gateway_not_found, invalid_request, sender_not_found, recipient_opted_out; those of idempotency
   * keys
   */
  send(call: CreatingCall<GatewayTest>, name: string): Promise<SendResult> {
    return this.intake.accept(call, () => this.compose(call, name));
  }

  private async compose(
    { accountId, request: { sender, to, text } }: CreatingCall<GatewayTest>,
    via: string,
  ): Promise<Composed> {
    const channel = await this.channelOf(via);
    const recipient = parseMsisdn(to);
    if (!recipient) throw invalidRequest([{ field: 'to', rule: 'invalid_format', message: notMsisdn(to) }]);
    const from = channel === 'sms' ? smsSender(sender) : await this.chatSender(accountId, sender);
    return {
      id: randomUUIDv7(),
      accountId,
      channel,
      sender: from,
      recipients: [recipient],
      kind: 'text',
      lane: channel === 'sms' ? 'TRANS' : 'CHAT',
      content:
        channel === 'sms' ? { text, unicode: false, flash: false, via } : { text: { body: text }, via },
      sealed: null,
      custom: null,
      creditsEach: null,
      campaign: null,
      clientRef: null,
      sendAt: null,
      credits: channel === 'sms' ? countParts(text, false).parts : 1,
      expiresAt: new Date(Date.now() + LIFETIME_MS),
      ratePerSecond: null,
      waits: false,
    };
  }

  /** @throws ApiError gateway_not_found; invalid_request for a gateway that is disabled */
  private async channelOf(name: string): Promise<Channel> {
    const { channel, enabled } = await this.gateways.find(name);
    if (enabled) return channel;
    const message = `must be an enabled gateway: enable "${name}" first`;
    throw invalidRequest([{ field: 'name', rule: 'not_allowed_value', message }]);
  }

  private async chatSender(accountId: string, sender: string): Promise<string> {
    const msisdn = parseMsisdn(sender) ?? '';
    const [number] = await findSendingNumbers(this.db, [{ accountId, msisdn }]);
    if (!number) throw new ApiError('sender_not_found');
    return msisdn;
  }
}

const LIFETIME_MS = 600_000;

function smsSender(sender: string): string {
  if (isSmsSender(sender)) return sender;
  const message = 'must be 1 to 11 letters, digits, spaces or -_.&, or 3 to 15 digits';
  throw invalidRequest([{ field: 'sender', rule: 'invalid_format', message }]);
}
