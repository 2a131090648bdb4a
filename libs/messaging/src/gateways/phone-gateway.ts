import { insertPhoneMessages } from '@signalbox/database/ops/phones';
import { messageKeyOf } from '@signalbox/domain/message-id';
import { phoneRow } from '@signalbox/domain/sealed-rows';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import {
  Gateway,
  type GatewayState,
  type MessageAddress,
  type OutgoingMessage,
  type ReceiveInbound,
  type ReceiveReports,
  type SubmitOptions,
} from '@signalbox/gateways/gateway';
import type { Logger } from '@signalbox/runtime/logger';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** Adds phones to a simulator. What they display is stored sealed, since it may be a code. */
export class PhoneGateway<Message extends OutgoingMessage> extends Gateway<Message> {
  readonly name: string;
  override readonly ratePerSecond: number | null;

  /** @param displayed returns the text that a phone displays; undefined when the message does not arrive */
  constructor(
    private readonly simulator: Gateway<Message>,
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
    private readonly displayed: (message: Message, outcome: SubmitOutcome) => string | undefined,
    private readonly logger: Logger,
  ) {
    super();
    this.name = simulator.name;
    this.ratePerSecond = simulator.ratePerSecond;
  }

  /** A phone that cannot store a message does not display it; the outcome of its submit stands. */
  async submit(messages: Message[], options: SubmitOptions): Promise<SubmitOutcome[]> {
    const outcomes = await this.simulator.submit(messages, options);
    const received = messages.flatMap((message, i) => {
      const { messageId, recipient, sender } = message;
      const key = messageKeyOf(message);
      const outcome = outcomes[i];
      const text = outcome && this.displayed(message, outcome);
      return key && text !== undefined
        ? [{ ...key, recipient, sender, sealedText: this.sealer.seal(text, phoneRow(messageId)) }]
        : [];
    });
    if (received.length > 0)
      await insertPhoneMessages(this.db, received).catch((error: unknown) => {
        this.logger.warn({ count: received.length, error }, 'phone.missed');
      });
    return outcomes;
  }

  query(messages: MessageAddress[]): Promise<MessageAddress[]> {
    return this.simulator.query(messages);
  }

  onReports(receive: ReceiveReports): void {
    this.simulator.onReports(receive);
  }

  onInbound(receive: ReceiveInbound): void {
    this.simulator.onInbound(receive);
  }

  state(): GatewayState {
    return this.simulator.state();
  }

  close(): Promise<void> {
    return this.simulator.close();
  }
}
