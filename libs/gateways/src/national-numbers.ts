import 'reflect-metadata';
import { IsInt, Matches, Max, Min } from 'class-validator';

/** The numbering plan of a vendor or an SMSC that leaves the country code out. */
export class NationalNumbers {
  @Matches(/^[1-9]\d{0,2}$/, { message: 'countryCode must be 1 to 3 digits, such as 91' })
  countryCode!: string;

  @IsInt({ message: 'digits must be a number from 6 to 12' })
  @Min(6)
  @Max(12)
  digits!: number;
}

/** Puts the country code before a number of exactly the digits of a plan; returns any other as it is. */
export function toInternational(number: string, plan: NationalNumbers | undefined): string {
  return plan && number.length === plan.digits && /^\d+$/.test(number) ? plan.countryCode + number : number;
}
