import { insertPhoneMessages } from '@signalbox/database/ops/phones';
import { parseMessageId } from '@signalbox/domain/message-id';
import { finalReport, smsScript } from '@signalbox/gateways/simulator/script';
import { type OutgoingSms, SmsGateway } from '@signalbox/gateways/sms-gateway';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import type { Sealer } from '@signalbox/runtime/seal';
import type { EntityManager } from 'typeorm';

/** The simulator with phones that remember what they received: sealed, since a text may be a code, and one statement a batch. */
export class PhoneGateway extends SmsGateway {
  readonly name: string;
  override readonly ratePerSecond: number | null;

  constructor(
    private readonly simulator: SmsGateway,
    private readonly db: EntityManager,
    private readonly sealer: Sealer,
  ) {
    super();
    this.name = simulator.name;
    this.ratePerSecond = simulator.ratePerSecond;
  }

  async submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    const outcomes = await this.simulator.submit(messages);
    const received = messages.flatMap((message, i) => {
      const key = parseMessageId(message.messageId);
      if (!key || !arrives(message, outcomes[i])) return [];
      return [
        {
          ...key,
          recipient: message.recipient,
          sender: message.sender,
          sealedText: this.sealer.seal(message.text),
        },
      ];
    });
    if (received.length > 0) await insertPhoneMessages(this.db, received);
    return outcomes;
  }

  query(messages: { messageId: string; recipient: string }[]): Promise<void> {
    return this.simulator.query(messages);
  }

  onReports(receive: (reports: GatewayReport[]) => Promise<void>): void {
    this.simulator.onReports(receive);
  }

  close(): Promise<void> {
    return this.simulator.close();
  }
}

function arrives({ recipient }: OutgoingSms, outcome: SubmitOutcome | undefined): boolean {
  const isTaken = outcome?.result === 'accepted' || outcome?.result === 'unconfirmed';
  return isTaken && finalReport(smsScript(recipient))?.status !== 'FAILED';
}
