import { randomUUIDv7 } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { countRefused } from '@signalbox/database/accounts/opt-outs';
import type { RenderedChat } from '@signalbox/domain/chat/message';
import { submissionRow } from '@signalbox/domain/sealed-rows';
import { Sealer } from '@signalbox/runtime/seal';
import type { FastifyReply } from 'fastify';
import { type Static, Type } from 'typebox';
import { EntityManager } from 'typeorm';
import { RECIPIENT, TEXT, model } from '../docs/model.ts';
import { ApiError } from '../errors/api-error.ts';
import { rememberIgnored } from '../http/ignored-fields.ts';
import type { CreatingCall } from '../http/repeatable-call.ts';
import type { SendResult } from '../sending/send-result.ts';
import { requireFuture } from '../sending/send-times.ts';
import { type Composed, SubmissionIntake } from '../sending/submission-intake.ts';
import type { ChatMessageRequest } from './chat-message.dto.ts';
import { ChatComposer, type ComposedChat } from './chat.composer.ts';

export const ChatDryRun = model('ChatDryRun', 'The response to a dry run: the message as it would be sent.', {
  id: Type.Null(),
  data: Type.Array(
    Type.Object({ recipient: RECIPIENT, content: Type.Unsafe<RenderedChat>({ type: 'object' }) }),
    {
      minItems: 1,
      maxItems: 1,
    },
  ),
  totalCount: Type.Literal(1),
  totalCredits: Type.Literal(1),
  message: TEXT,
  error: Type.Null(),
});
export type ChatDryRun = Static<typeof ChatDryRun>;

/** Accepts chat-app messages. */
@Injectable()
export class ChatService {
  constructor(
    private readonly db: EntityManager,
    private readonly intake: SubmissionIntake,
    private readonly sealer: Sealer,
    private readonly composer: ChatComposer,
  ) {}

  /**
   * Accepts one message. When this resolves, it is on disk.
   *
   * @throws ApiError those of SubmissionIntake and of ChatComposer; OverloadedError
   */
  accept(call: CreatingCall<ChatMessageRequest>): Promise<SendResult> {
    const { accountId, request, reply } = call;
    return this.intake.accept(call, async () =>
      this.toSubmission(accountId, request, await this.compose(accountId, request, reply)),
    );
  }

  /** Makes all checks of `accept`, and stores nothing. @throws ApiError recipient_opted_out, those of ChatComposer */
  async dryRun({ accountId, request, reply }: CreatingCall<ChatMessageRequest>): Promise<ChatDryRun> {
    const { sender, recipient } = request;
    const { lane, show } = await this.compose(accountId, request, reply);
    if ((await countRefused(this.db, accountId, lane, sender, [recipient])) > 0)
      throw new ApiError('recipient_opted_out');
    const message = 'The request is valid. Nothing was stored or sent.';
    return {
      id: null,
      data: [{ recipient, content: show() }],
      totalCount: 1,
      totalCredits: 1,
      message,
      error: null,
    };
  }

  private async compose(
    accountId: string,
    request: ChatMessageRequest,
    reply: FastifyReply,
  ): Promise<ComposedChat> {
    requireFuture(request);
    const composed = await this.composer.compose(accountId, request);
    if (composed.ignored.length > 0) rememberIgnored(reply.request.body as object, composed.ignored);
    return composed;
  }

  private toSubmission(
    accountId: string,
    request: ChatMessageRequest,
    { lane, content, code, codeMinutes }: ComposedChat,
  ): Composed {
    const { type, sender, recipient, campaignName = null, clientRef = null, goesOutAt, endsAt } = request;
    const id = randomUUIDv7();
    return {
      id,
      accountId,
      channel: 'chatapp',
      kind: type,
      lane,
      sender,
      content,
      sealed: code === undefined ? null : this.sealer.seal(code, submissionRow(accountId, id)),
      recipients: [recipient],
      custom: null,
      credits: 1,
      creditsEach: null,
      campaign: campaignName,
      clientRef,
      sendAt: goesOutAt,
      expiresAt: endsAt ?? (codeMinutes === null ? null : codeEndAfter(goesOutAt ?? new Date(), codeMinutes)),
      ratePerSecond: null,
      waits: goesOutAt !== null,
    };
  }
}

/** A code that cannot arrive within its lifetime is not sent. */
function codeEndAfter(sentAt: Date, minutes: number): Date {
  return new Date(sentAt.getTime() + minutes * 60_000);
}
