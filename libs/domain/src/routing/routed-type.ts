import type { RoutedType } from './route.ts';

const BY_CATEGORY: Record<string, RoutedType> = { AUTHENTICATION: 'OTP', MARKETING: 'PROMO' };

/** Returns the type by which routes know a message: that of an SMS, or that of the category of a chat-app template. */
export function routedType(sms: RoutedType | undefined, category: string | null | undefined): RoutedType {
  return sms ?? BY_CATEGORY[category ?? ''] ?? 'TRANS';
}
