-- A database of version 1: its schema, and what that version wrote.
CREATE TABLE drill_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL);
CREATE TABLE drill_receipts (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  action_id text COLLATE "C" NOT NULL UNIQUE, trigger_key text COLLATE "C" NOT NULL, digest text COLLATE "C" NOT NULL,
  state text NOT NULL, fence bigint NOT NULL,
  receipt text NOT NULL
);
CREATE INDEX drill_receipts_trigger ON drill_receipts (trigger_key, digest);
CREATE TABLE drill_approvals (approval_id text COLLATE "C" PRIMARY KEY, action_id text COLLATE "C" NOT NULL);
INSERT INTO drill_schema (version) VALUES (1);
INSERT INTO drill_receipts (action_id, trigger_key, digest, state, fence, receipt) VALUES ('confirmed', 'trigger-confirmed', 'sha256:a62676553d6b5234e58c9c0bffb13e71c1dea13c394bc6ba3a335efee7be5185', 'confirmed', 1, '{"action_id":"confirmed","trigger_key":"trigger-confirmed","business_key":"ch_1","effect":"refund","arguments_sha256":"sha256:a62676553d6b5234e58c9c0bffb13e71c1dea13c394bc6ba3a335efee7be5185","arguments":{"amount":1,"charge":"ch_1"},"approval_id":"approval-confirmed","policy_version":"1","state":"confirmed","attempt":0,"key":{"generation":1},"fence":1,"history":[{"state":"prepared","at":"2026-01-02T03:04:05.000006Z"},{"state":"approved","at":"2026-01-02T03:04:05.000006Z"},{"state":"sent","at":"2026-01-02T03:04:05.000006Z"},{"state":"confirmed","at":"2026-01-02T03:04:05.000006Z"}]}');
INSERT INTO drill_receipts (action_id, trigger_key, digest, state, fence, receipt) VALUES ('unknown', 'trigger-unknown', 'sha256:ddf9027b4b4349729007a67733f3f0dd72bf59b41f2888b1756194d66dbdd317', 'unknown', 1, '{"action_id":"unknown","trigger_key":"trigger-unknown","business_key":"ch_1","effect":"refund","arguments_sha256":"sha256:ddf9027b4b4349729007a67733f3f0dd72bf59b41f2888b1756194d66dbdd317","arguments":{"amount":2,"charge":"ch_1"},"approval_id":"approval-unknown","policy_version":"1","state":"unknown","attempt":0,"key":{"generation":1},"owner":"w1","fence":1,"lease_until":"2026-01-02T03:04:06.000006Z","history":[{"state":"prepared","at":"2026-01-02T03:04:05.000006Z"},{"state":"approved","at":"2026-01-02T03:04:05.000006Z"},{"state":"sent","at":"2026-01-02T03:04:05.000006Z"},{"state":"unknown","at":"2026-01-02T03:04:05.000006Z"}]}');
INSERT INTO drill_receipts (action_id, trigger_key, digest, state, fence, receipt) VALUES ('approved', 'trigger-approved', 'sha256:2876585055dee2d7ba6b54b638ad4bf5f67c4e5831b0af12cbda898f2062beed', 'approved', 1, '{"action_id":"approved","trigger_key":"trigger-approved","business_key":"ch_1","effect":"refund","arguments_sha256":"sha256:2876585055dee2d7ba6b54b638ad4bf5f67c4e5831b0af12cbda898f2062beed","arguments":{"amount":3,"charge":"ch_1"},"approval_id":"approval-approved","policy_version":"1","state":"approved","attempt":0,"key":{"generation":1},"owner":"w1","fence":1,"lease_until":"2026-01-02T03:04:06.000006Z","history":[{"state":"prepared","at":"2026-01-02T03:04:05.000006Z"},{"state":"approved","at":"2026-01-02T03:04:05.000006Z"}]}');
INSERT INTO drill_approvals VALUES ('approval-approved', 'approved');
INSERT INTO drill_approvals VALUES ('approval-confirmed', 'confirmed');
INSERT INTO drill_approvals VALUES ('approval-unknown', 'unknown');
