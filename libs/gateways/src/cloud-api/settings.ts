import 'reflect-metadata';
import { IsBoolean, IsOptional, IsUrl, Matches } from 'class-validator';
import { Nested } from '../nested.ts';
import { IsIntBetween } from '../is-int-between.ts';

/** The Android app that AUTHENTICATION templates hand their code to. */
export class OtpAppSettings {
  @Matches(/^[a-zA-Z]\w*(\.[a-zA-Z]\w*)+$/, { message: 'must be the package name of an Android app' })
  packageName!: string;

  @Matches(/^[A-Za-z0-9+/]{11}$/, { message: 'must be the 11 characters of the app signing key hash' })
  signatureHash!: string;
}

/** Settings of a gateway to the WhatsApp Cloud API. It serves every number of one business account. */
export class CloudApiSettings {
  @Matches(/^\d{5,20}$/, { message: 'must be the id of the WhatsApp Business Account: digits' })
  businessAccountId!: string;

  /** Needed to upload the sample files of template headers. */
  @IsOptional()
  @Matches(/^\d{5,20}$/, { message: 'must be the id of the Meta app: digits' })
  appId?: string;

  @IsUrl({ require_tld: false, require_protocol: true, protocols: ['https', 'http'] })
  baseUrl: string = 'https://graph.facebook.com';

  /** Permits loopback and private networks; link-local addresses stay forbidden. */
  @IsBoolean()
  allowPrivateNetwork: boolean = false;

  @Matches(/^v\d{1,3}\.\d$/, { message: 'must be a version of the Graph API, such as v25.0' })
  version: string = 'v25.0';

  /** Messages per second of one number. */
  @IsIntBetween(1, 1_000)
  messagesPerSecond: number = 80;

  /** Time for one call; a send without an answer by then is unconfirmed. */
  @IsIntBetween(1_000, 60_000)
  timeoutMs: number = 20_000;

  /** Calls at the same time. */
  @IsIntBetween(1, 256)
  connections: number = 32;

  @IsOptional()
  @Nested(() => OtpAppSettings)
  otpApp?: OtpAppSettings;
}
