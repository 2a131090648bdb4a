import { insertPhoneMessages } from '@signalbox/database/ops/phones';
import { parseMessageId } from '@signalbox/domain/message-id';
import { ChatAppGateway, type OutgoingChatMessage } from '@signalbox/gateways/chat-app-gateway';
import { isShown } from '@signalbox/gateways/simulator/chat-script';
import type { SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** The simulator with phones that remember what they were shown: sealed, since it may be a code, and one statement a batch. */
export class ChatPhoneGateway extends ChatAppGateway {
  readonly name: string;

  constructor(
    private readonly simulator: ChatAppGateway,
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {
    super();
    this.name = simulator.name;
  }

  async submit(messages: OutgoingChatMessage[]): Promise<SubmitOutcome[]> {
    const outcomes = await this.simulator.submit(messages);
    const shown = messages.flatMap(({ messageId, sender, recipient, content }, i) => {
      const key = parseMessageId(messageId);
      if (!key || outcomes[i]?.result === 'throttled' || !isShown(recipient)) return [];
      return [{ ...key, recipient, sender, sealedText: this.sealer.seal(JSON.stringify(content)) }];
    });
    if (shown.length > 0) await insertPhoneMessages(this.db, shown);
    return outcomes;
  }

  query(messages: { messageId: string; recipient: string }[]): Promise<void> {
    return this.simulator.query(messages);
  }

  onReports(): void {}

  close(): Promise<void> {
    return this.simulator.close();
  }
}
