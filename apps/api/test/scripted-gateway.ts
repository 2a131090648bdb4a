import { type GatewayReport, type OutgoingSms, SmsGateway, type SubmitOutcome } from '@signalbox/gateways/sms-gateway';

export type ScriptedReport = Omit<GatewayReport, 'messageId' | 'reportedAt'>;

/** A report of a delivery, but for what is told otherwise. */
export function delivered(given: Partial<ScriptedReport> = {}): ScriptedReport {
  return { status: 'DELIVERED', errCode: '000', description: 'Message delivered', ...given };
}

/** A gateway that takes everything, keeps it to be looked at, and reports of each message what the script says, one call per report. */
export class ScriptedGateway extends SmsGateway {
  readonly name = 'scripted';
  readonly submitted: OutgoingSms[] = [];
  private receive: (reports: GatewayReport[]) => Promise<void> = async () => undefined;

  constructor(private readonly script: (sms: OutgoingSms) => ScriptedReport[] = () => [delivered()]) {
    super();
  }

  onReports(receive: (reports: GatewayReport[]) => Promise<void>): void {
    this.receive = receive;
  }

  submit(messages: OutgoingSms[]): Promise<SubmitOutcome[]> {
    this.submitted.push(...messages);
    setImmediate(() => void this.report(messages));
    return Promise.resolve(messages.map(({ messageId }) => ({ messageId, result: 'accepted' })));
  }

  query(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async report(messages: OutgoingSms[]): Promise<void> {
    for (const sms of messages) {
      for (const report of this.script(sms)) await this.receive([{ messageId: sms.messageId, reportedAt: new Date(), ...report }]);
    }
  }
}
