-- +goose Up

-- The key that took over from this one: who rotated it need not be told that it expires.
ALTER TABLE api_keys
    ADD COLUMN sucesora text COLLATE "C",
    ADD CONSTRAINT api_keys_sucesora_fkey FOREIGN KEY (empresa_id, sucesora) REFERENCES api_keys (empresa_id, key_id);
