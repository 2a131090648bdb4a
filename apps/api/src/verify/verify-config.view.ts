import type { VerificationConfig } from '@signalbox/database/entities/verification-config';

/** A configuration as the API shows it. The codes of test numbers are never shown. */
export interface VerifyConfigView {
  id: string;
  name: string;
  enabled: boolean;
  channel: string;
  codeLength: number;
  alphabet: string;
  ttlSeconds: number;
  maxAttempts: number;
  resendAfterSeconds: number;
  maxSendsPer10Minutes: number;
  maxSendsPerDay: number;
  sender: string;
  text: string;
  webOtpDomain: string | null;
  androidHash: string | null;
  testNumbers: { number: string; until: string }[];
  createdAt: string;
  updatedAt: string;
}

export function verifyConfigView(config: Omit<VerificationConfig, 'accountId' | 'deletedAt'>): VerifyConfigView {
  return {
    id: config.id,
    name: config.name,
    enabled: config.enabled,
    channel: config.channel,
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
