import type { OtpTemplate, VerificationConfig } from '@signalbox/database/verify/verification-config.entity';
import type { FlowStep, StopOn } from '@signalbox/domain/verify/otp-flow';

/** A verification configuration without the codes of its test numbers. */
export interface VerifyConfigView {
  id: string;
  name: string;
  enabled: boolean;
  /** Channel of the first step. */
  channel: string;
  flow: FlowStep[];
  stopOn: StopOn;
  template: OtpTemplate | null;
  codeLength: number;
  alphabet: string;
  ttlSeconds: number;
  maxAttempts: number;
  resendAfterSeconds: number;
  maxSendsPer10Minutes: number;
  maxSendsPerDay: number;
  sender: string | null;
  text: string;
  webOtpDomain: string | null;
  androidHash: string | null;
  testNumbers: { number: string; until: string }[];
  createdAt: string;
  updatedAt: string;
}

export function verifyConfigView(
  config: Omit<VerificationConfig, 'accountId' | 'deletedAt'>,
): VerifyConfigView {
  return {
    id: config.id,
    name: config.name,
    enabled: config.enabled,
    channel: config.flow[0]!.channel,
    flow: config.flow,
    stopOn: config.stopOn,
    template: config.template,
    codeLength: config.codeLength,
    alphabet: config.alphabet,
    ttlSeconds: config.ttlSeconds,
    maxAttempts: config.maxAttempts,
    resendAfterSeconds: config.resendAfterSeconds,
    maxSendsPer10Minutes: config.maxSendsPer10Minutes,
    maxSendsPerDay: config.maxSendsPerDay,
    sender: config.sender,
    text: config.text,
    webOtpDomain: config.webOtpDomain,
    androidHash: config.androidHash,
    testNumbers: config.testNumbers.map(({ number, until }) => ({ number, until })),
    createdAt: config.createdAt.toISOString(),
    updatedAt: config.updatedAt.toISOString(),
  };
}
