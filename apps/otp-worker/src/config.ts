import { AppConfig, IsPepper } from '@signalbox/runtime/app-config';

/** The environment of the otp-worker. */
export class OtpWorkerConfig extends AppConfig {
  @IsPepper()
  OTP_PEPPER!: string;
}
