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

/**
 * Returns the digits of a number with its country code: without a plus, or the 00 of an international number, and with
 * the country code of the plan before exactly its digits. Returns any other address, such as a name, as it is.
 */
export function toInternational(address: string, plan: NationalNumbers | undefined): string {
  if (/^(\+\d+|00[1-9]\d{6,14})$/.test(address)) return address.replace(/^(\+|00)/, '');
  return plan && address.length === plan.digits && /^\d+$/.test(address)
    ? plan.countryCode + address
    : address;
}
