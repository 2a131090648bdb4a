import { ERROR_TABLES } from '../../errors/error-tables.ts';
import type { Preset } from '../preset.ts';

/**
 * Kannel's smsbox. It names no id; reports carry ours in their address, and the receipt of the SMSC behind it with the
 * error of the mobile network.
 */
export const KANNEL: Preset = {
  requires: ['baseUrl', 'username'],
  errors: {},
  reportErrors: { ...ERROR_TABLES.map, EXPIRED: '004' },
  request: {
    method: 'GET',
    url: '{baseUrl}/cgi-bin/sendsms',
    query: {
      from: '{sender}',
      to: '{recipient}',
      text: '{text}',
      charset: 'UTF-8',
      coding: '{coding}',
      mclass: '{messageClass}',
      validity: '{validityMinutes}',
      'dlr-mask': '31',
      'dlr-url': '{reportUrl}',
    },
    auth: [
      { type: 'query', name: 'username', value: '{username}' },
      { type: 'query', name: 'password', value: '{token}' },
    ],
    reportQuery: 'status=%d&reply=%A&smsc=%i&at=%T',
  },
  fields: { coding: { from: 'encoding', map: { 'GSM-7': '0', 'UCS-2': '2' }, default: '0' } },
  answer: {
    success: { status: [200, 202], source: '/^([03]): /' },
    errorCode: '/^\\D*(\\d{1,3}):/',
    description: '/^(.{1,200})/',
    rules: [
      // With 403, too, which means wrong credentials otherwise
      { pattern: '/^(?:Not routable|No route)/i', result: 'rejected', errCode: '011' },
      { status: [403], result: 'down' },
      { status: [503], result: 'throttled' },
      { pattern: '/^Authorization failed/i', result: 'down' },
      { pattern: '/Temporal failure|try again/i', result: 'throttled' },
    ],
  },
  callback: {
    decode: 'query',
    reports: {
      status: 'status',
      statuses: { '1': 'DELIVERED', '2': 'FAILED', '4': 'SENT', '8': 'SENT', '16': 'FAILED', '34': 'FAILED' },
      errorCode: 'reply',
      errorPattern: '/(?:stat|err):\\s*(EXPIRED|[0-9A-F]{1,8})\\b/i',
      description: 'reply',
      descriptionPattern: '/^NACK\\/[^\\/]*\\/(.{1,200})/i',
      reportedAt: 'at',
      details: { smsc: 'smsc' },
    },
    inbound: { id: 'id', from: 'from', to: 'to', text: 'text', sentAt: 'at' },
  },
};
