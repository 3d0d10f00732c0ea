## What reviewers write for each decision, the preferred word first.
decisions-approve = uygun, evet, doğru, tamam, approve, ok, yes
decisions-fix = düzelt, düzeltilmeli, fix, f
decisions-reject = ret, red, hayır, uygun değil, reject, no, r
decisions-unsure = kararsız, kararsızım, bilmiyorum, emin değilim, unsure, u, ?

## Titles of the columns of sheets.
columns-pair_id = Çift no
columns-reviewer = Değerlendiren
columns-rule = Kural
columns-good = Kabul edilebilir cümle
columns-bad = Yanlış cümle
columns-translation = Çeviri
columns-differs = Fark
columns-basis = Neye dayanıyor
columns-alternatives = Başka düzeltmeler
columns-examples = Örnekler
columns-source = Kaynak
columns-findings = Denetimin bulduğu
columns-votes = Değerlendirenlerin görüşleri
columns-reason = Neden yeniden soruluyor
columns-decision = Karar
columns-fixed_good = Düzeltilmiş doğru
columns-fixed_bad = Düzeltilmiş yanlış
columns-comment = Not
columns-item_id = Satır no
columns-sentence_a = Cümle A
columns-sentence_b = Cümle B
columns-choice = A ya da B
columns-sentence = Cümle
columns-rating = Puan 1-7
columns-exported = Dışa aktarılan (değiştirmeyin)

## The review page and the facts beside a pair.
interface-page_short = s.
interface-title = Değerlendirme
interface-skip_link = Soruya geç
interface-progress = { $done } / { $total } tamamlandı
interface-pair_question = Birinci cümle kabul edilebilir, ikincisi tam da bu kural yüzünden yanlış mı?
interface-choice_question = İki cümleden hangisi daha iyi?
interface-likert_question = Bu cümle ne kadar kabul edilebilir?
interface-likert_low = hiç kabul edilemez
interface-likert_high = tamamen kabul edilebilir
interface-good = Kabul edilebilir
interface-bad = Yanlış
interface-differs = Fark
interface-translation = Çeviri
interface-basis = Neye dayanıyor
interface-banned = kaynak bunu yanlış sayıyor
interface-obligatory = çıkarım: kaynak kuralı istisnasız veriyor
interface-declared = kuralın yeri
interface-marked = yanlış cümleyi kaynak işaretliyor
interface-written_by_model = yanlış cümleyi bir dil modeli yazdı
interface-attested = doğru cümle kaynakta geçiyor
interface-made_from = doğru cümle kaynaktaki bir cümleden yapıldı
interface-derived_from = bir program şu çiftten yaptı
interface-new_words = kaynakta geçmeyen sözcükler
interface-alternatives = Başka düzeltmeler
interface-rule = Kural
interface-rule_place = Kural { $number } / { $total }
interface-new_rule = Yeni kural
interface-examples = Örnekler
interface-source = Kaynak
interface-page_picture = Sayfadaki yeri
interface-no_picture = Sayfa çizilemedi.
interface-findings = Denetimin bulduğu
interface-votes = Değerlendirenlerin görüşleri
interface-reason = Neden yeniden soruluyor
interface-sentence_a = Cümle A
interface-sentence_b = Cümle B
interface-approve = Uygun
interface-fix = Düzelt
interface-reject = Ret
interface-unsure = Kararsız
interface-fixed_good = Düzeltilmiş doğru cümle
interface-fixed_bad = Düzeltilmiş yanlış cümle
interface-save_fix = Düzeltmeyi kaydet
interface-cancel = Vazgeç
interface-comment = Not
interface-save_comment = Notu kaydet
interface-undo = Geri al
interface-skip = Sonra
interface-back = Geri
interface-decided = Yanıtınız:
interface-saved = Kaydedildi.
interface-undone = Geri alındı: { $answer }. “{ $sentence }”
interface-nothing_to_undo = Geri alınacak bir şey yok.
interface-not_saved = Kaydedilmedi: sunucu yanıt vermiyor. Yanıtınız hâlâ burada; yeniden deneyiniz.
interface-other_reviewer = Kaydedilmedi: bu sayfa başka bir değerlendirici için açılmıştı, bu tarayıcıda ise şimdi { $reviewer } yanıtlıyor. Kendi adresinizi yeniden açınız; bir tarayıcıda aynı anda tek kişi yanıtlayabilir.
interface-fault = Kaydedilmedi. Yanıtınız hâlâ burada; yeniden deneyiniz ya da değerlendirmeyi düzenleyenlere bildiriniz:
interface-needs_correction = Cümlelerden birini düzeltiniz; ikisi farklı olmalıdır.
interface-finished = Hepsi tamamlandı. Teşekkür ederiz!
interface-finished_more = Bu sayfayı kapatabilir ya da önceki bir yanıta dönebilirsiniz.
interface-no_script = JavaScript olmadan tuşlar çalışmaz, düğmeler çalışır.
interface-keys_on = Tuşları kullan
interface-keys_fixed = Shift ve bir sayı başka bir düzeltmeyi seçer, Ctrl+Enter kaydeder, Esc kapatır.
interface-expired = Bu adres geçerli değil. Terminalin gösterdiği adresi açınız.
interface-link_expired = Bu bağlantı geçerli değil ya da süresi dolmuş. Değerlendirmeyi yürütenlerden yenisini isteyiniz.
interface-too_many = Çok fazla istek. Biraz bekleyip yeniden deneyiniz.
interface-enter = Gir
interface-enter_code = Bağlantınızdaki kod: # işaretinden sonrası
interface-enter_switch = Bu tarayıcı { $now } adıyla yanıtlıyor. Açtığınız bağlantı { $new } için. Size bu adla gönderilmediyse vazgeçiniz.
interface-enter_as = { $new } olarak devam et
interface-questionnaire = Başlamadan önce
interface-consent = Okudum ve kabul ediyorum.
interface-questionnaire_send = Başla
interface-questionnaire_incomplete = Kaydedilmedi: metni kabul ediniz ve * ile işaretli soruları yanıtlayınız.

## What reviewers read before they begin.
instructions-pairs =
    Her satırda iki cümle vardır: birincisi kabul edilebilir, ikincisi verilen kurala göre yanlış olmalıdır.
    “Karar” sütununa tek bir sözcük yazınız:

    uygun – çift doğrudur: birinci cümle kabul edilebilir, ikincisi tam da bu kural yüzünden yanlıştır.
    düzelt – çift düzeltilebilir: düzeltilmiş cümleyi “Düzeltilmiş doğru” veya “Düzeltilmiş yanlış” sütununa yazınız; boş
    hücre, cümlenin olduğu gibi kalacağı anlamına gelir. “Başka düzeltmeler”den birini seçmek için numarasını
    “Karar” sütununa yazınız.
    ret – çift kullanılamaz.
    kararsız – karar veremiyorsunuz.

    Henüz karar vermediyseniz hücreyi boş bırakınız. Düşüncelerinizi “Not” sütununa yazınız; kendi sütunlarınızı
    ekleyebilirsiniz. Başka hücreleri değiştirmeyiniz, satır silmeyiniz. Dosyayı xlsx, ods veya “CSV UTF-8” olarak
    kaydediniz.
instructions-choice =
    Her satırda A ve B olmak üzere iki cümle vardır. İkisini de okuyunuz ve size daha iyi gelen cümlenin harfini “A ya da B”
    sütununa yazınız. Bir yere bakıp bulacağınız doğru bir yanıt yoktur: dil sezginize güveniniz ve uzun düşünmeyiniz. Karar
    veremeseniz de birini seçiniz.

    Henüz yanıt vermediyseniz hücreyi boş bırakınız. Düşüncelerinizi “Not” sütununa yazınız; kendi sütunlarınızı
    ekleyebilirsiniz. Başka hücreleri değiştirmeyiniz, satır silmeyiniz. Dosyayı xlsx, ods veya “CSV UTF-8” olarak
    kaydediniz.
instructions-likert =
    Her satırda bir cümle vardır. Bu cümlenin size ne kadar kabul edilebilir geldiğini “Puan 1-7” sütununa yazınız: 1 (hiç: kimse
    böyle söylemez) ile 7 (tamamen: bütünüyle doğal) arasında. Ölçeğin tamamını kullanınız, dil sezginize güveniniz ve önceki
    cümlelere dönmeyiniz.

    Henüz yanıt vermediyseniz hücreyi boş bırakınız. Düşüncelerinizi “Not” sütununa yazınız; kendi sütunlarınızı
    ekleyebilirsiniz. Başka hücreleri değiştirmeyiniz, satır silmeyiniz. Dosyayı xlsx, ods veya “CSV UTF-8” olarak
    kaydediniz.
