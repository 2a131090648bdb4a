import { Injectable } from '@nestjs/common';
import { randomUUIDv7 } from 'node:crypto';
import type { KeyHolder } from '@signalbox/database/accounts/api-keys';
import type { SmsTemplate } from '@signalbox/database/templates/sms-template.entity';
import { countRefused } from '@signalbox/database/accounts/opt-outs';
import type { SmsContent } from '@signalbox/database/submissions/submissions';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import { Sealer } from '@signalbox/runtime/seal';
import { EntityManager } from 'typeorm';
import { RateGate } from '../auth/rate-gate.ts';
import { ApiError } from '../errors/api-error.ts';
import type { RepeatableCall } from '../http/repeatable-call.ts';
import type { SendResult } from '../sending/send-result.ts';
import { requireFuture } from '../sending/send-times.ts';
import { type Composed, SubmissionIntake } from '../sending/submission-intake.ts';
import { type DryRun, dryRunAnswer } from './dry-run.ts';
import { type ComposedSms, SmsComposer } from './sms.composer.ts';
import type { SmsRequest } from './sms.dto.ts';

/** Accepts SMS, and composes dry runs of them. */
@Injectable()
export class SmsService {
  constructor(
    private readonly db: EntityManager,
    private readonly intake: SubmissionIntake,
    private readonly sealer: Sealer,
    private readonly rate: RateGate,
    private readonly composer: SmsComposer,
  ) {}

  /**
   * Accepts one call. The guard has charged its first message.
   *
   * @throws ApiError bulk_exceeds_rate_limit, rate_limited, those of SubmissionIntake and of a template;
   * OverloadedError
   */
  accept(call: RepeatableCall, request: SmsRequest): Promise<SendResult> {
    const { caller, accountId, reply } = call;
    const compose = (): Composed | Promise<Composed> => {
      requireFuture(request);
      const composed = this.composer.compose(accountId, request);
      return composed instanceof Promise
        ? composed.then((sms) => this.toSubmission(caller, request, sms))
        : this.toSubmission(caller, request, composed);
    };
    const { length } = request.recipients;
    return this.intake.accept(
      Object.assign(call, { request }),
      length > 1 ? () => this.rate.passBulk(caller, length, reply).then(compose) : compose,
    );
  }

  /**
   * Checks a call as `accept` does, and stores nothing. It takes as many points of the rate limit.
   *
   * @throws ApiError bulk_exceeds_rate_limit, rate_limited, recipient_opted_out, those of a template
   */
  async dryRun(call: RepeatableCall, request: SmsRequest): Promise<DryRun> {
    const { caller, accountId, reply } = call;
    const { type, recipients } = request;
    if (recipients.length > 1) await this.rate.passBulk(caller, recipients.length, reply);
    requireFuture(request);
    const composed = await this.composer.compose(accountId, request);
    const optedOutCount = await countRefused(this.db, accountId, type, composed.sender, recipients);
    if (optedOutCount > 0 && recipients.length === 1) throw new ApiError('recipient_opted_out');
    return dryRunAnswer(request, composed, this.composer, optedOutCount);
  }

  private toSubmission(
    { accountId, isPaced }: KeyHolder,
    request: SmsRequest,
    composed: ComposedSms,
  ): Composed {
    const { type: lane, recipients, campaignName = null, clientRef = null, ratePerSecond = null } = request;
    const { sender, custom, credits, creditsEach } = composed;
    // Only TRANS may leave its text to a template, so an OTP always has one.
    const secret = lane === 'OTP' ? request.text : undefined;
    const id = randomUUIDv7();
    return {
      id,
      accountId,
      channel: 'sms',
      kind: 'text',
      lane,
      sender,
      content: contentOf(request, composed, secret !== undefined),
      sealed: secret === undefined ? null : this.sealer.seal(secret, submissionRow(accountId, id)),
      recipients,
      custom,
      credits,
      creditsEach,
      campaign: campaignName,
      clientRef,
      sendAt: request.goesOutAt,
      expiresAt: request.endsAt,
      ratePerSecond,
      // only rounds respect the rates of submissions, and the rates and pauses of accounts
      waits: request.goesOutAt !== null || ratePerSecond !== null || isPaced,
    };
  }
}

function contentOf(
  request: SmsRequest,
  { pieces, links, template }: ComposedSms,
  isSealed: boolean,
): SmsContent {
  const [text, ...more] = pieces;
  const isSame = typeof text === 'string' && more.length === 0;
  return {
    ...(!isSealed && (isSame ? { text } : { pieces })),
    ...(links && { links }),
    ...(template && { templateId: template.id, ...dltOf(template) }),
    unicode: request.unicode === 1,
    flash: request.flash === 1,
  };
}

function dltOf({ dltEntityId: entityId, dltTemplateId: templateId }: SmsTemplate): Pick<SmsContent, 'dlt'> {
  return entityId === null && templateId === null ? {} : { dlt: { entityId, templateId } };
}
