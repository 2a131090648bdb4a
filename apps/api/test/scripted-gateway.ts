import type { OutgoingSms } from '@signalbox/gateways/sms-gateway';
import type { GatewayReport, SubmitOutcome } from '@signalbox/domain/routing/submit-outcome';
import { FakeGateway } from '@signalbox/test/fake-gateway';

export type ScriptedReport = Omit<GatewayReport, 'messageId' | 'reportedAt'>;

/** A report of a delivery, with these fields replaced. */
export function delivered(given: Partial<ScriptedReport> = {}): ScriptedReport {
  return { status: 'DELIVERED', errCode: '000', description: 'Message delivered', ...given };
}

/** A gateway that accepts and records every message, then reports the lists that its script holds for the recipient. */
export class ScriptedGateway extends FakeGateway<OutgoingSms> {
  override readonly name = 'scripted';
  readonly submitted: OutgoingSms[] = [];
  private readonly reporting: Promise<void>[] = [];
  private receive: (reports: GatewayReport[]) => Promise<void> = async () => undefined;

  constructor(private readonly script: (recipient: string) => ScriptedReport[][] = () => [[delivered()]]) {
    super();
  }

  override onReports(receive: (reports: GatewayReport[]) => Promise<void>): void {
    this.receive = receive;
  }

  submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    this.submitted.push(...messages);
    this.reporting.push(...messages.map((sms) => this.report(sms)));
    return Promise.resolve(
      messages.map(({ messageId }) => ({ messageId, result: 'accepted', gatewayMessageIds: [] })),
    );
  }

  override async close(): Promise<void> {
    await Promise.all(this.reporting);
  }

  private async report({ messageId, recipient }: OutgoingSms): Promise<void> {
    for (const reports of this.script(recipient)) {
      await this.receive(reports.map((report) => ({ messageId, reportedAt: new Date(), ...report })));
    }
  }
}
