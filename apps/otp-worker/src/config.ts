import { AppConfig, IsPepper } from '@signalbox/runtime/app-config';

/** Environment of the otp-worker. */
export class OtpWorkerConfig extends AppConfig {
  @IsPepper()
  OTP_PEPPER!: string;
}
