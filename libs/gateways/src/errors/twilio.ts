/** errCodes by the error codes of Twilio's REST API and of its delivery reports. */
export const TWILIO_ERRORS: Readonly<Record<string, string>> = {
  '14107': '006', // message rate limit within the carrier
  '21211': '003', // invalid "To"
  '21212': '007', // invalid "From"
  '21214': '003', // "To" cannot be reached
  '21217': '003', // no phone number
  '21219': '003', // "To" is not verified
  '21265': '003', // "To" is a short code
  '21266': '003', // "To" equals "From"
  '21408': '011', // region not enabled
  '21421': '003',
  '21601': '007', // "From" cannot send SMS
  '21602': '013', // no body
  '21603': '007', // no "From"
  '21604': '003', // no "To"
  '21605': '013', // body too long
  '21606': '007', // "From" is not a sender of this account
  '21608': '003', // unverified recipient of a trial account
  '21610': '010', // recipient replied STOP
  '21611': '006', // queue of the sender is full
  '21612': '011', // no route from "From" to "To"
  '21614': '003', // "To" is no mobile number
  '21617': '013', // body too long
  '21619': '013', // no body
  '21620': '013', // invalid media
  '21635': '003', // "To" is a landline
  '21654': '015', // no content template
  '21655': '015',
  '21656': '015',
  '21659': '007', // "From" is no number of Twilio
  '21660': '007', // mismatch of "From" and account
  '21661': '007', // "From" cannot send SMS
  '21703': '007', // messaging service without senders
  '21705': '013', // messaging service invalid
  '21712': '007',
  '30001': '006', // queue overflow
  '30002': '012', // account suspended
  '30003': '001', // unreachable handset
  '30004': '002', // blocked
  '30005': '003', // unknown handset
  '30006': '003', // landline or unreachable carrier
  '30007': '008', // filtered
  '30008': '099', // unknown
  '30009': '006', // missing segment
  '30010': '012', // price above the limit
  '30017': '006', // congestion
  '30018': '007', // destination needs a registered sender
  '30019': '005', // content too large for the handset
  '30022': '012', // daily limit of the carrier
  '30023': '012', // daily limit
  '30024': '007', // sender not provisioned at the carrier
  '30027': '012', // daily cap of T-Mobile
  '30028': '007',
  '30032': '007', // toll-free number not verified
  '30033': '012', // campaign suspended
  '30034': '007', // unregistered number
  '30035': '007',
  '30036': '004', // validity expired
  '30037': '006',
  '30038': '008', // code redacted by the carrier
  '30039': '006', // loop
  '30410': '006', // provider timeout
  '30450': '008', // fraud protection
};
